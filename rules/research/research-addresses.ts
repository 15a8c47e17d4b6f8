// The addresses that lead research may read. None is made by a model: they stand in what operators wrote, on pages that
// were read, or begin the lead's own domain.
import { withoutLinks } from '../links.ts'

const addressMax = 2_000

/** The form in which addresses are compared and requested, without a fragment. Null for what no page can have. */
export function pageAddress(text: string): string | null {
  if (text.length > addressMax || !URL.canParse(text)) return null
  const url = new URL(text)
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '') return null
  url.hash = ''
  // Percent-encoded, a text may be nine times as long; an index holds addresses.
  return url.href.length > addressMax ? null : url.href
}

// A bracket or a full stop at the end belongs to the sentence.
const withoutPunctuation = (text: string) => text.replace(/[.,;:!?'"»”)\]}>]+$/, '')

const written = /\bhttps?:\/\/[^\s<>"']+/gi
/** A host name with an optional path, such as `www.example.com/team`; not the domain of an e-mail address. */
const hosts = /(?<![\w@./:-])(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}(?![\w-])(?:\/[^\s<>"']*)?/gi

/** The addresses in a text of an operator. A bare host name stands for its `https` address. */
export function addressesIn(text: string): string[] {
  const found = [...text.matchAll(written)].map(([address]) => address)
  const bare = [...text.replaceAll(written, ' ').matchAll(hosts)].map(([host]) => `https://${host}`)
  return [
    ...new Set([...found, ...bare].map((one) => pageAddress(withoutPunctuation(one))).filter((one) => one !== null)),
  ]
}

/** Domains of mail providers: their pages say nothing about who has an address there. */
const mailers = new Set(
  `126.com 163.com aim.com aol.com att.net bellsouth.net bigpond.com bk.ru blueyonder.co.uk bluewin.ch btinternet.com charter.net comcast.net cox.net earthlink.net email.com email.cz
fastmail.com fastmail.fm free.fr freenet.de gmail.com googlemail.com gmx.at gmx.ch gmx.com gmx.de gmx.net hey.com hotmail.ca hotmail.co.uk hotmail.com hotmail.de hotmail.es hotmail.fr hotmail.it
hushmail.com icloud.com inbox.lv inbox.ru interia.pl juno.com laposte.net libero.it list.ru live.ca live.co.uk live.com live.de live.fr live.it live.nl mac.com mail.com mail.de mail.ru me.com
mailbox.org msn.com naver.com netzero.net ntlworld.com o2.pl online.de onet.pl optonline.net orange.fr outlook.at outlook.com outlook.de outlook.es outlook.fr outlook.it pm.me posteo.de
proton.me protonmail.ch protonmail.com qq.com rambler.ru rediffmail.com rocketmail.com rogers.com sbcglobal.net seznam.cz sfr.fr shaw.ca sina.com sky.com sympatico.ca t-online.de talktalk.net
telenet.be terra.com.br tiscali.it tuta.com tutanota.com uol.com.br verizon.net virgilio.it virginmedia.com wanadoo.fr web.de wp.pl xs4all.nl ya.ru yahoo.ca yahoo.co.in yahoo.co.jp yahoo.co.uk yahoo.com
yahoo.com.au yahoo.com.br yahoo.de yahoo.es yahoo.fr yahoo.it yandex.com yandex.ru yeah.net ymail.com ziggo.nl zoho.com`.split(
    /\s+/,
  ),
)

/** The first pages of the domain of an e-mail address; none for the domain of a mail provider. */
export function startPages(email: string | null): string[] {
  const domain = email?.split('@').at(-1)?.toLowerCase() ?? ''
  if (!/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,22}[a-z0-9]$/.test(domain) || mailers.has(domain))
    return []
  const names = domain.startsWith('www.') ? [domain] : [domain, `www.${domain}`]
  return names.flatMap((name) => [`https://${name}/`, `http://${name}/`])
}

/**
 * Keeps the addresses of `known` alone: no other one could carry data away. The name of a company that is a registered
 * domain, such as `acme.example`, carries none.
 */
export function withoutOtherLinks(text: string, known: ReadonlySet<string>): string {
  const hosts = new Set([...known].map((one) => new URL(one).hostname))
  return withoutLinks(text, ({ text: link, hosts: [host = ''], bare }) => {
    const address = pageAddress(bare ? `https://${link}` : withoutPunctuation(link))
    if (address !== null && known.has(address)) return true
    return bare && link.toLowerCase() === host && (hosts.has(host) || host.split('.').length === 2)
  })
}
