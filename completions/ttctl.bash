# Completion of ttctl for bash; printed by: ttctl completion bash
_ttctl() {
  local reply line files first=1 IFS=$'\n'
  COMPREPLY=()
  reply=$(command ttctl __complete bash "${COMP_LINE:0:COMP_POINT}" "$2" "${COMP_TYPE-}" "${COLUMNS-}" 2>/dev/null </dev/null)
  while IFS= read -r line; do
    if [ "$first" = 1 ]; then
      files=$line first=0
    elif [ -n "$line" ]; then
      COMPREPLY+=("$line")
    fi
  done <<<"$reply"
  [ "${#COMPREPLY[@]}" -eq 0 ] || return 0
  case $files in
    files) compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$2")) ;;
    folders) compopt -o dirnames 2>/dev/null || COMPREPLY=($(compgen -d -- "$2")) ;;
    programs) COMPREPLY=($(compgen -c -- "$2")) ;;
  esac
}
# The order is ttctl's own; bash before 4.4 knows only its alphabet.
complete -o nosort -F _ttctl ttctl 2>/dev/null || complete -F _ttctl ttctl
