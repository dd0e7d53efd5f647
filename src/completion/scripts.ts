/**
 * What the shells are given: a few lines each that ask `ttctl __complete` at every press of the key, so that they never
 * grow old. They run nothing but ttctl, and nothing of what it answers is evaluated.
 */

const bash = `# Completion of ttctl for bash; printed by: ttctl completion bash
_ttctl() {
  local reply line files first=1 IFS=$'\\n'
  COMPREPLY=()
  reply=$(command ttctl __complete bash "\${COMP_LINE:0:COMP_POINT}" "$2" "\${COMP_TYPE-}" "\${COLUMNS-}" 2>/dev/null </dev/null)
  while IFS= read -r line; do
    if [ "$first" = 1 ]; then
      files=$line first=0
    elif [ -n "$line" ]; then
      COMPREPLY+=("$line")
    fi
  done <<<"$reply"
  [ "\${#COMPREPLY[@]}" -eq 0 ] || return 0
  case $files in
    files) compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$2")) ;;
    folders) compopt -o dirnames 2>/dev/null || COMPREPLY=($(compgen -d -- "$2")) ;;
    programs) COMPREPLY=($(compgen -c -- "$2")) ;;
  esac
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
  case $files in
    files) _files && ret=0 ;;
    folders) _files -/ && ret=0 ;;
    programs) _command_names -e && ret=0 ;;
  esac
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
    switch "$lines[1]"
        case files
            for path in (__fish_complete_path "$begun")
                printf '%s\\n' "$lines[2]$path"
            end
        case folders
            for path in (__fish_complete_directories "$begun")
                printf '%s\\n' "$lines[2]$path"
            end
        case programs
            __fish_complete_command
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

export const SCRIPTS: readonly Script[] = [
  {
    shell: 'bash',
    file: 'ttctl.bash',
    text: bash,
    install: [
      ['in ~/.bashrc', 'eval "$(ttctl completion bash)"'],
      [
        'once, with bash-completion',
        'ttctl completion bash > ~/.local/share/bash-completion/completions/ttctl',
      ],
    ],
  },
  {
    shell: 'zsh',
    file: '_ttctl',
    text: zsh,
    install: [
      ['in ~/.zshrc, after compinit', 'eval "$(ttctl completion zsh)"'],
      ['once, in a folder of $fpath', 'ttctl completion zsh > ~/.zsh/completions/_ttctl'],
    ],
  },
  {
    shell: 'fish',
    file: 'ttctl.fish',
    text: fish,
    install: [['once', 'ttctl completion fish > ~/.config/fish/completions/ttctl.fish']],
  },
  {
    shell: 'powershell',
    file: 'ttctl.ps1',
    text: powershell,
    install: [['in $PROFILE', 'ttctl completion powershell | Out-String | Invoke-Expression']],
  },
];
