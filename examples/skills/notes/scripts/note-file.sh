# A note's name to its file: "Daily plan" is daily-plan.md when there is no file of that very name.
if [ -e "$1" ]; then
  printf '%s\n' "$1"
else
  case $1 in
    *.md) printf '%s\n' "$1" ;;
    *) printf '%s.md\n' "$1" | tr 'A-Z ' 'a-z-' ;;
  esac
fi
