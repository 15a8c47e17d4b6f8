// Whether a text holds a link, as it stands there for readers: with or without a scheme. Reads the text once, whatever it is.

/** A scheme, an address without one, and what programs of readers open as an address. */
const marked = /\/\/|https?:|www\.|\b(?:javascript|mailto|sms|tel|tg|whatsapp):\S/iu
const address = /^\d{1,3}(?:\.\d{1,3}){3}$/

/** The label of a domain. Of digits alone, `1.50` is a number. */
const isLabel = (text: string): boolean => /\p{L}/u.test(text) || /^\d{3}/.test(text)

/** Of scripts without case. Their sentences often follow each other without a space, so that any word would look like one. */
const caseless = new Set('中国 中國 公司 网络 網絡 香港 台湾 台灣 みんな コム 한국 भारत ไทย مصر السعودية امارات ایران ישראל'.split(' '))

/** At least two letters in one case: `tea.The` is the end of a sentence without a space after it. */
function isTopLabel(text: string): boolean {
  if (caseless.has(text) || /^xn--[a-z0-9-]+$/i.test(text)) return true
  const [lower, upper] = [text.toLowerCase(), text.toUpperCase()]
  return lower !== upper && (text === lower || text === upper) && /^\p{L}[\p{L}\p{M}]+$/u.test(text)
}

function isDomain(word: string): boolean {
  if (address.test(word)) return true
  const labels = word.split('.')
  return labels.some((top, at) => {
    const before = labels[at - 1]
    if (before === undefined || !isLabel(before) || !isTopLabel(top)) return false
    // `p.ex.` is an abbreviation.
    return !(at === 1 && before.length === 1 && labels[2] === '')
  })
}

export const hasLink = (text: string): boolean => marked.test(text) || text.split(/[^\p{L}\p{M}\p{N}.-]+/u).some((word) => word.includes('.') && isDomain(word))
