import type { RecordKind } from '../api/records.ts';
import type { Environment } from '../config/environment.ts';

/**
 * The command tree as plain data, as the completing process has it: made from the commands when ttctl is built
 * (table.ts), so that an answer loads no command.
 */

export interface PlainCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly about: string;
  readonly flags?: readonly PlainFlag[];
  /** Absent in a group of commands. */
  readonly positionals?: readonly { readonly value: PlainValue; readonly variadic?: true }[];
  readonly commands?: readonly PlainCommand[];
}

export interface PlainFlag {
  readonly name: string;
  readonly short?: string;
  readonly about: string;
  /** Absent: a switch. */
  readonly value?: PlainValue;
  readonly repeatable?: true;
}

/** What may stand for a value. Empty: any text, and nothing is known of it. */
export interface PlainValue {
  readonly words?: readonly string[];
  readonly source?: RecordKind | 'command' | 'profile' | 'time-zone';
  /** Of records: `submitted`, `archived` …; `any`. Default: not archived. */
  readonly state?: string;
  readonly files?: true;
  /** Several of them may stand in one word, with commas. */
  readonly list?: true;
}

export interface Candidate {
  /** As a program gets it: nothing is quoted. */
  readonly value: string;
  readonly about?: string | undefined;
}

export interface Completion {
  readonly kept: string;
  readonly candidates: readonly Candidate[];
  /** The shell offers these by itself, beside the candidates. */
  readonly files?: true;
}

/**
 * What each shell is given, how it asks, and how it is answered. The scripts are a few lines each that ask
 * `ttctl __complete` at every press of the key, so that they never grow old. They run nothing but ttctl, and nothing of
 * what it answers is evaluated.
 */

interface ShellRequest {
  readonly words: readonly string[];
  /** The word that the cursor is in, up to the cursor, without quotes. */
  readonly typed: string;
  readonly print: (answer: Completion) => string;
}

type ReadRequest = (args: readonly string[], env: Environment) => ShellRequest;

export const SHELLS: Readonly<Record<string, ReadRequest>> = {
  bash: readBashRequest,
  zsh: readZshRequest,
  fish: readFishRequest,
  powershell: readPowershellRequest,
};

type Quote = '' | "'" | '"';

/** Quoted text, a quote that stays open, an escaped letter, any other letter. */
const PART = /'([^']*)'|"((?:\\.|[^"\\])*)"|('|")(.*)|\\(.?)|(.)/gs;

/** A word's raw text to what bash and fish take it for, and the quote that is open at its end. Nothing is expanded. */
export function unquote(raw: string): { readonly text: string; readonly quote: Quote } {
  let [text, quote]: [string, Quote] = ['', ''];
  for (const [, single, double, open, rest = '', escaped, letter] of raw.matchAll(PART)) {
    quote = (open ?? '') as Quote;
    if (double !== undefined || open === '"') text += (double ?? rest).replace(/\\([$`"\\\n])/g, '$1');
    else text += single ?? escaped ?? letter ?? rest;
  }
  return { text, quote };
}

/** What stands before a word, redirections among it, and the word. */
const WORD = /((?:\d*&?[<>]+&?|\s)*)((?:'[^']*(?:'|$)|"(?:\\.?|[^"\\])*(?:"|$)|\\.?|[^\s<>])*)/sy;

/**
 * Bash hands over its line and takes whole replacements for a part of the word: what stands behind the last `:`, `=`
 * or `@`, or behind an open quote. They are quoted here, for that place.
 * @param args the line up to the cursor, the part of the word that is replaced
 */
function readBashRequest([line = '', part = '']: readonly string[]): ShellRequest {
  const words: { readonly raw: string; readonly isFile: boolean }[] = [];
  WORD.lastIndex = 0;
  do {
    const [, before = '', raw = ''] = WORD.exec(line) ?? [];
    words.push({ raw, isFile: /[<>]/.test(before) });
  } while (WORD.lastIndex < line.length);
  const { raw = '', isFile } = words.pop() ?? {};
  const typed = unquote(raw).text;
  const before = unquote(raw.endsWith(part) ? raw.slice(0, raw.length - part.length) : '');
  return {
    words: words.flatMap((word, i) => (i === 0 || word.isFile ? [] : unquote(word.raw).text)),
    typed,
    print({ kept, candidates, files }) {
      if (isFile) return 'files\n';
      const matching = candidates.filter(({ value }) => value.startsWith(typed.slice(kept.length)));
      const quoted = matching.map(({ value }) => {
        const text = (kept + value).slice(before.text.length);
        if (before.quote === "'") return text.replaceAll("'", "'\\''");
        // `!` would bring back an old command even within double quotes.
        if (before.quote === '"') return text.replace(/["\\$`]/g, '\\$&').replaceAll('!', `"'!'"`);
        return text.replace(/[^\w@%+=:,./\u0080-\u{10ffff}-]/gu, '\\$&');
      });
      return [formatFiles(files), ...quoted, ''].join('\n');
    },
  };
}

function formatFiles(files: true | undefined): string {
  return files === true ? 'files' : '';
}

/** Zsh quotes and chooses by itself, by the matching rules of its user. It takes `value:words` (`_describe`). */
function readZshRequest(args: readonly string[]): ShellRequest {
  return {
    words: args.slice(0, -1),
    typed: args.at(-1) ?? '',
    print({ kept, candidates, files }) {
      const lines = candidates.map(({ value, about }) => {
        const word = value.replace(/[\\:]/g, '\\$&');
        return about === undefined ? word : `${word}:${about.replaceAll('\\', '\\\\')}`;
      });
      return ['values', kept, formatFiles(files), ...lines, ''].join('\n');
    },
  };
}

/** Fish quotes and chooses by itself. It hands over its last word as it is typed; it takes words, a tab, more words. */
function readFishRequest(args: readonly string[]): ShellRequest {
  return {
    words: args.slice(0, -1),
    typed: unquote(args.at(-1) ?? '').text,
    print({ kept, candidates, files }) {
      const lines = candidates.map(({ value, about }) => [kept + value, about].filter(Boolean).join('\t'));
      return [formatFiles(files), kept, ...lines, ''].join('\n');
    },
  };
}

/**
 * PowerShell takes words that it puts in as they are, so they are quoted here. What is asked comes in the
 * environment, words between units (U+001F), and the answer is ASCII: Windows hands over arguments and pipes in code
 * pages of its own.
 */
function readPowershellRequest(_args: readonly string[], env: Environment): ShellRequest {
  const words = (env.TTCTL_COMPLETE_WORDS ?? '').split('\u001f');
  const typed = words.pop() ?? '';
  return {
    words,
    typed,
    print({ kept, candidates, files }) {
      const begun = typed.slice(kept.length).toLowerCase();
      const matching = candidates.filter(({ value }) => value.toLowerCase().startsWith(begun));
      const answer = matching.map(({ value, about }) => {
        const word = kept + value;
        // It takes the curly quotes for straight ones.
        const isBare = /^[\w./:+-][\w./:=+-]*$/.test(word);
        const text = isBare ? word : `'${word.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
        return { text, list: value, tip: about ?? value };
      });
      const json = JSON.stringify({ files: files === true, candidates: answer });
      return `${json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
    },
  };
}

const bash = `# Completion of ttctl for bash; printed by: ttctl completion bash
_ttctl() {
  local reply line files first=1 IFS=$'\\n'
  COMPREPLY=()
  reply=$(command ttctl __complete bash "\${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null </dev/null)
  while IFS= read -r line; do
    if [ "$first" = 1 ]; then
      files=$line first=0
    elif [ -n "$line" ]; then
      COMPREPLY+=("$line")
    fi
  done <<<"$reply"
  [ -n "$files" ] && [ "\${#COMPREPLY[@]}" -eq 0 ] || return 0
  compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$2"))
}
# The order is ttctl's own; bash before 4.4 knows only its alphabet.
complete -o nosort -F _ttctl ttctl 2>/dev/null || complete -F _ttctl ttctl
`;

const zsh = `#compdef ttctl
# Completion of ttctl for zsh; printed by: ttctl completion zsh
_ttctl() {
  local reply tag kept files ret=1
  local -a lines
  reply=$(command ttctl __complete zsh "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)
  lines=("\${(@f)reply}")
  tag=$lines[1] kept=$lines[2] files=$lines[3]
  lines=("\${(@)lines[4,-1]}")
  [[ -n $kept ]] && compset -P "\${(b)kept}"
  (( $#lines )) && _describe -V -t "$tag" "$tag" lines && ret=0
  [[ -n $files ]] && _files && ret=0
  return ret
}
if [[ $funcstack[1] == _ttctl ]]; then
  _ttctl "$@"
elif (( $+functions[compdef] )); then
  compdef _ttctl ttctl
fi
`;

const fish = `# Completion of ttctl for fish; printed by: ttctl completion fish
function __ttctl_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l typed (commandline -ct)
    set -l lines (command ttctl __complete fish $words "$typed" 2>/dev/null </dev/null)
    set -q lines[3]; and printf '%s\\n' $lines[3..-1]
    set -l begun (string sub -s (math 1 + (string length -- "$lines[2]")) -- "$typed")
    if test -n "$lines[1]"
        for path in (__fish_complete_path "$begun")
            printf '%s\\n' "$lines[2]$path"
        end
    end
end
complete -c ttctl -e
complete -c ttctl -f -k -a '(__ttctl_complete)'
`;

const powershell = `# Completion of ttctl for PowerShell; printed by: ttctl completion powershell
Register-ArgumentCompleter -Native -CommandName ttctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @()
    $typed = ''
    foreach ($element in @($commandAst.CommandElements | Select-Object -Skip 1)) {
        $extent = $element.Extent
        if ($extent.StartOffset -ge $cursorPosition) { break }
        $text = $extent.Text
        if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst] -or
            $element -is [System.Management.Automation.Language.ExpandableStringExpressionAst]) { $text = $element.Value }
        if ($extent.EndOffset -gt $cursorPosition) {
            $text = $extent.Text.Substring(0, $cursorPosition - $extent.StartOffset).Trim([char]39, [char]34)
        }
        if ($extent.EndOffset -ge $cursorPosition) { $typed = $text; break }
        $words += $text
    }
    $reply = $null
    $env:TTCTL_COMPLETE_WORDS = @($words) + @($typed) -join [string][char]0x1f
    try {
        $reply = ttctl __complete powershell 2>$null | Out-String | ConvertFrom-Json
    } catch {
    } finally {
        Remove-Item Env:TTCTL_COMPLETE_WORDS -ErrorAction SilentlyContinue
    }
    $candidates = @(if ($null -ne $reply) { $reply.candidates })
    foreach ($candidate in $candidates) {
        [System.Management.Automation.CompletionResult]::new(
            $candidate.text, $candidate.list, [System.Management.Automation.CompletionResultType]::ParameterValue, $candidate.tip)
    }
    # Nothing at all would make PowerShell offer files.
    if ($candidates.Count -eq 0 -and -not ($null -ne $reply -and $reply.files)) { '' }
}
`;

export interface Script {
  readonly shell: string;
  /** Its name in completions/, and where a shell looks for it. */
  readonly file: string;
  readonly text: string;
  /** How it is put to use, line by line. */
  readonly install: readonly (readonly [place: string, line: string])[];
}

const BASH_FILE = '~/.local/share/bash-completion/completions/ttctl';
const FISH_FILE = '~/.config/fish/completions/ttctl.fish';
const ZSH_FILE = '~/.zsh/completions/_ttctl';

export const SCRIPTS: readonly Script[] = [
  {
    ...{ shell: 'bash', file: 'ttctl.bash', text: bash },
    install: [
      ['in ~/.bashrc', 'eval "$(ttctl completion bash)"'],
      ['once, with bash-completion', `ttctl completion bash > ${BASH_FILE}`],
    ],
  },
  {
    ...{ shell: 'zsh', file: '_ttctl', text: zsh },
    install: [
      ['in ~/.zshrc, after compinit', 'eval "$(ttctl completion zsh)"'],
      ['once, in a folder of $fpath', `ttctl completion zsh > ${ZSH_FILE}`],
    ],
  },
  {
    ...{ shell: 'fish', file: 'ttctl.fish', text: fish },
    install: [['once', `ttctl completion fish > ${FISH_FILE}`]],
  },
  {
    ...{ shell: 'powershell', file: 'ttctl.ps1', text: powershell },
    install: [['in $PROFILE', 'ttctl completion powershell | Out-String | Invoke-Expression']],
  },
];
