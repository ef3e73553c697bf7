// How many columns of a terminal a text takes: a Chinese character or an emoji takes two, an accent of its own none.

const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])|\ufe0f/u
const none = /^[\p{Mn}\p{Me}\p{Cf}]+$/u
const isSimple = /^[ -~…]*$/
/** Made when it is needed: making it takes milliseconds of every start. */
let segmenter: Intl.Segmenter | undefined

/** Without colours. */
export function textWidth(text: string): number {
  const seen = text.replace(/\u001b\[\d+m/g, '')
  if (isSimple.test(seen)) return seen.length
  let width = 0
  for (const { segment } of signsOf(seen)) width += signWidth(segment)
  return width
}

/** The part of a text that fits `width` columns, with an ellipsis where something was cut; colours kept and ended. */
export function cutToWidth(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let left = width - 1
  let cut = ''
  for (const [, code, words] of text.matchAll(/(\u001b\[\d+m)|([^\u001b]+)/g)) {
    if (code !== undefined) cut += code
    else
      for (const { segment } of signsOf(words!)) {
        left -= signWidth(segment)
        if (left < 0) break
        cut += segment
      }
  }
  return `${cut}…`
}

function signsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return segmenter.segment(text)
}

function signWidth(sign: string): number {
  if (none.test(sign)) return 0
  return wide.test(sign) ? 2 : 1
}
