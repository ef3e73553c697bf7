// A text of the console in which what stands between backticks is code. Only for its own texts: values are not looked at.

export function Words({ text }: { text: string }) {
  return (
    <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
  )
}
