// Amounts and rates are typed in another unit than that of the API: what the API says of them is said in that one.
import type { Shape } from './document/schema.ts'
import { moneyText, shareText } from './format.ts'

const unit = /in (minor units?|basis points)( of (`[\w.]+`|the (\w+'s )?\w+))?(: \d+ is .*?(?=\.( |$)))?/i
/** No part of a decimal, and none that has a unit. */
const count = /(?<![\d.,])\d+(?![\d,]|\.\d| ?%| [A-Z]{3}\b)/g

/** `fault`: what the API expects of the value; its numbers are values, too. Without a currency, both stay the same. */
export function shownTexts({ kind }: Shape, currency: string | undefined) {
  const write =
    kind === 'share' ? shareText : kind === 'money' && currency ? (one: number) => moneyText(one, currency) : undefined
  return {
    about: (text: string) => (write ? text.replace(unit, `in ${kind === 'share' ? 'percent' : currency}`) : text),
    fault: (text: string) => (write ? text.replaceAll(count, (one) => write(Number(one))) : text),
  }
}
