# A day to its note: nothing, today, yesterday or a date.
case $1 in
  *.md) printf '%s\n' "$1" ;;
  *) date -d "${1:-today}" +%Y-%m-%d.md ;;
esac
