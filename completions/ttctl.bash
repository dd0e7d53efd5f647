# Completion of ttctl for bash; printed by: ttctl completion bash
_ttctl() {
  local reply line files first=1 IFS=$'\n'
  COMPREPLY=()
  reply=$(command ttctl __complete bash "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null </dev/null)
  while IFS= read -r line; do
    if [ "$first" = 1 ]; then
      files=$line first=0
    elif [ -n "$line" ]; then
      COMPREPLY+=("$line")
    fi
  done <<<"$reply"
  [ -n "$files" ] && [ "${#COMPREPLY[@]}" -eq 0 ] || return 0
  compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$2"))
}
# The order is ttctl's own; bash before 4.4 knows only its alphabet.
complete -o nosort -F _ttctl ttctl 2>/dev/null || complete -F _ttctl ttctl
