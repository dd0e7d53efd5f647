# Completion of ttctl for fish; printed by: ttctl completion fish
function __ttctl_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l typed (commandline -ct)
    set -l lines (command ttctl __complete fish $words "$typed" 2>/dev/null </dev/null)
    set -q lines[3]; and printf '%s\n' $lines[3..-1]
    set -l begun (string sub -s (math 1 + (string length -- "$lines[2]")) -- "$typed")
    if test -n "$lines[1]"
        for path in (__fish_complete_path "$begun")
            printf '%s\n' "$lines[2]$path"
        end
    end
end
complete -c ttctl -e
complete -c ttctl -f -k -a '(__ttctl_complete)'
