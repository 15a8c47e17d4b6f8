// What a mail server's refusal is about: by its code, its enhanced status code (RFC 3463) and its text, at every stage
// of a session and in the reports that come back.
import type { Stage } from './smtp.ts'

/**
 * What a refusal is about. The recipient: `address_unknown`; `mailbox_full`; `recipient` (another reason of theirs, or
 * none that is known). The message: `size`; `protocol`. The sender, who is refused for every recipient of that server:
 * `reputation` (also by a policy); `rate`; `authentication`; `content`. The server: `temporary`; `unavailable`.
 */
export const refusalClasses = [
  ...(['address_unknown', 'mailbox_full', 'recipient', 'size', 'protocol'] as const),
  ...(['reputation', 'rate', 'authentication', 'content', 'temporary', 'unavailable'] as const),
] as const
export type RefusalClass = (typeof refusalClasses)[number]

/**
 * `code`: of the reply; null in a report without one. `status`: the enhanced status code. `stage`: null in a report.
 */
export type GivenRefusal = { stage: Stage | null; code: number | null; status: string | null; text: string }

/** The enhanced status code of a text such as `550 5.1.1 No such user`; null without one. */
export const statusIn = (text: string): string | null =>
  /(?:^|[^\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.]*\d)/.exec(text)?.[1] ?? null

/** The code of a reply in a text such as `smtp; 550 No such user`; null without one. */
export function codeIn(text: string): number | null {
  const code = /(?:^|[;:])\s*([45]\d\d)(?=[ -])/.exec(text)?.[1]
  return code === undefined ? null : Number(code)
}

/**
 * `codes`: subject and detail of the enhanced status code, such as 1.1 of 5.1.1. A row holds by its codes, or by its
 * text unless the text holds `unless`.
 */
type Row = { is: RefusalClass; codes?: RegExp; text?: RegExp; unless?: RegExp }

const subjects = '(?:user|recipient|mailbox|mail box|address|addressee|account|alias|destination|login|person|inbox)'
const unknown =
  '(?:unknown|not found|not known|not valid|not exist|not recogni[sz]ed|no longer (?:exists?|valid|available|active|in use)|invalid|non-?existent|nonexistent)'

/**
 * The first row that holds decides. Explicit codes come before texts, and texts before the codes that servers use for
 * anything.
 */
const table: readonly Row[] = [
  // What a recipient or a group accepts from no stranger (Exchange).
  { is: 'recipient', codes: /^7\.(?:2|12|13|124|129|133|134|136)$/ },
  {
    is: 'authentication',
    codes: /^7\.(?:2[0-7]|509|515)$/,
    text: /\b(?:spf|dkim|dmarc)\b|unauthenticated|authentication (?:is )?(?:required|failed|failure|unsuccessful)|must (?:authenticate|issue a starttls)|not authenticated|(?:username|password|credentials).{0,30}(?:not accepted|invalid|incorrect|rejected)|relay(?:ing)?(?: access)? (?:is )?(?:denied|not (?:allowed|permitted|authori[sz]ed)|prohibited)|unable to relay|not (?:allowed|permitted) to relay|rcpthosts/,
  },
  // These concern the sender, although they speak of addresses and users.
  {
    is: 'reputation',
    codes: /^1\.[78]$/,
    text: /sender(?: e-?mail)?(?: address)?(?: is| was)? (?:rejected|refused|denied|blocked|blacklisted|not allowed|unknown|invalid|verif)|(?:invalid|bad|forged|blocked|unknown) sender|sender (?:domain|host)|domain of (?:the )?sender|sending (?:domain|host|ip|server)|not (?:allowed|authori[sz]ed|permitted) to send (?:as|from|on behalf)|send ?as ?denied|\bhelo\b|\behlo\b|reverse dns|\brdns\b|\bptr\b/,
  },
  { is: 'address_unknown', codes: /^(?:1\.(?:1|2|3|6|10)|7\.1[78])$/ },
  { is: 'rate', codes: /^(?:4\.5|7\.28|7\.705)$/ },
  { is: 'mailbox_full', codes: /^2\.2$/ },
  { is: 'size', codes: /^(?:2\.3|3\.4)$/ },
  {
    is: 'rate',
    text: /(?:daily|hourly|per (?:day|hour|minute)|sending|outbound|relay|message|mail|rate|recipients?) (?:\w+ ){0,3}(?:limit|quota)s?\b(?:.{0,20}(?:exceed|reach|hit))?|(?:exceed|reach)\w* .{0,40}(?:sending|daily|hourly|rate|outbound|relay|messages? per)|too many (?:messages|recipients|e-?mails|mails|connections|emails)|rate[- ]?limit|throttl|sending too (?:fast|many)|unusual (?:rate|volume)/,
    unless: /size|mailbox (?:quota|limit|is full)|storage|disk/,
  },
  {
    is: 'mailbox_full',
    text: /(?:mail ?box|inbox|mail ?folder|account|user|recipient|storage|disk)\b.{0,40}\b(?:full|over ?quota|over (?:the )?limit|exceed)|over ?quota|\bquota\b.{0,20}(?:exceed|full|reached|violation)|exceed\w* .{0,30}(?:quota|storage|allocation)|insufficient (?:disk|system )?.{0,10}storage|(?:out of|not enough) (?:disk|storage|space)|postfach (?:ist )?voll|bo[iî]te .{0,20}pleine|buz[oó]n .{0,10}lleno|casella .{0,10}piena|caixa .{0,15}cheia|переполнен|邮箱已满|メールボックスが?いっぱい/,
  },
  {
    is: 'size',
    text: /(?:message|mail|content|data|attachments?|file)\b.{0,30}too (?:big|large|long)|exceed\w* .{0,40}\bsize|\bsize\b.{0,30}(?:exceed|limit|too)|maximum (?:message )?size/,
  },
  {
    is: 'reputation',
    text: /block[- ]?list|black[- ]?list|deny[- ]?list|spamhaus|spamcop|barracuda|sorbs|\bdnsbl\b|\brbl\b|\buribl\b|senderscore|cloudmark|reputation|listed (?:at|in|on|by)\b|(?:blocked|rejected|refused|listed|denied) (?:using|by|due to|because of|for)|\b(?:ip|client|client host|host|server|network|range|asn|domain)\b.{0,40}(?:block|list|ban|denied|reject|refused|not allowed|suspicious|dynamic|residential)|your (?:ip|ip address|server|host|domain|network|isp|mail server)\b|\bbanned\b|unsolicited|abus(?:e|ive)|(?:mail|messages?|email|connections?) from .{0,40}(?:not accepted|refused|rejected|blocked|denied)/,
  },
  {
    is: 'content',
    codes: /^6\./,
    text: /\b(?:spam|junk|virus|malware|phish\w*|trojan|infected|suspicious|dangerous|prohibited|forbidden|banned)\b|content (?:rejected|filter|blocked|denied|policy|not accepted)|(?:message|mail) (?:content|body)|(?:attachments?|urls?|links?|file types?) .{0,30}(?:not (?:allowed|accepted|permitted)|block|reject|list)/,
  },
  {
    is: 'recipient',
    codes: /^2\.[0145]$/,
    text: /(?:for|to|by) th(?:is|e|at) (?:recipient|user|group|mailbox|list|address)|restricted|(?:mailbox|account|user|recipient).{0,30}(?:disabled|inactive|suspended|locked|not active|not accepting|temporarily)/,
  },
  {
    is: 'address_unknown',
    text: new RegExp(
      [
        `\\b${subjects}s?\\b.{0,50}?\\b(?:is |are |was |be |does |do )?${unknown}`,
        `\\b${subjects}s?\\b.{0,50}?(?:doesn't|does not|do not|don't|didn't) (?:exist|have)`,
        `\\b(?:unknown|no such|invalid|non-?existent|bad) (?:local )?(?:\\w+ )?${subjects}`,
        `\\bno (?:\\w+ )?(?:user|mailbox|recipient|account)\\b.{0,30}(?:here|by that name|with that|found|such)`,
        `\\bnot a (?:valid|known|local) (?:\\w+ )?(?:user|recipient|mailbox|address|account)`,
        `unrouteable|unroutable|recipnotfound|addressee unknown|not our customer|mailbox (?:is )?(?:unavailable|not available)|delivery to .{0,20}unknown`,
        // Other languages of servers.
        `(?:benutzer|empf(?:ä|ae)nger|postfach|adresse|konto)\\S*.{0,40}(?:unbekannt|existiert nicht|nicht (?:gefunden|vorhanden|bekannt|erreichbar))|unbekannte[rs]? (?:benutzer|empf|adress|postfach)`,
        `(?:utilisateur|destinataire|adresse|bo[îi]te|compte)\\S*.{0,40}(?:inconnue?|inexistante?|introuvable|n['’]existe (?:pas|plus)|invalide)`,
        `(?:usuario|destinatario|direcci[oó]n|buz[oó]n|cuenta|usu[aá]rio|destinat[aá]rio|endere[cç]o|caixa|conta|utente|indirizzo|casella)\\b.{0,40}(?:descono|desconhe|no (?:existe|encontrad)|n[aã]o (?:existe|encontrad)|non (?:esiste|trovat)|inexistente|inesistente|sconosciut|inv[aá]lid)`,
        `(?:gebruiker|geadresseerde|adres|postvak|postbus)\\b.{0,40}(?:onbekend|bestaat niet|niet gevonden)`,
        `(?:anv[aä]ndare|mottagare|bruger|modtager|bruker|mottaker|adress?en?)\\S*.{0,40}(?:ok[aä]nd|finns inte|ukendt|findes ikke|ukjent|finnes ikke)`,
        `(?:użytkownik|adres|skrzynk|odbiorc)\\S*.{0,40}(?:nie istnieje|nie znaleziono|nieznan)|nieznan\\S* (?:użytkownik|adres|odbiorc)`,
        `(?:uživatel|schránk|adresát|příjemce)\\S*.{0,40}(?:neexistuje|nenalezen|neznám)|neznám\\S* (?:uživatel|adres|příjem)`,
        `(?:пользовател|адрес|ящик|получател)\\S*.{0,40}(?:не (?:найден|существует|обнаружен|знайден|існує)|неизвест|невідом|отсутств)|нет такого|несуществующ|користувач\\S*.{0,30}не `,
        `(?:kullanıcı|alıcı|adres|posta kutusu)\\S*.{0,40}(?:bulunamad|bilinmiyor|mevcut değil|geçersiz|yok)`,
        `(?:用户|用戶|收件人|邮箱|郵箱|信箱|帐号|账号|帳號|地址).{0,10}(?:不存在|未找到|找不到|无效|無效)|无此用户|無此用戶|無此使用者|查无此人`,
        `(?:ユーザー?|宛先|受信者|アドレス|メールボックス).{0,20}(?:存在しません|見つかりません|不明|ありません|無効)`,
        `(?:사용자|수신자|받는 사람|주소|계정|메일함).{0,20}(?:없|존재하지|찾을 수|알 수)`,
      ].join('|'),
    ),
  },
  { is: 'address_unknown', codes: /^1\.(?!9$)/ },
  {
    is: 'reputation',
    codes: /^(?:1\.9|7\.)/,
    text: /\bpolic(?:y|ies)\b|access denied|not accepted here|administrative(?:ly)? (?:prohibit|denied)/,
  },
  { is: 'protocol', codes: /^5\./ },
  { is: 'recipient', codes: /^[0-9]/ },
]

/**
 * The class by the code alone, where the text says nothing (RFC 5321, 4.2.3): 550 and 551 of a recipient say that there
 * is none, but servers use 550 for anything.
 */
function byCode(stage: Stage | null, code: number | null): RefusalClass {
  if (code === null) return 'recipient'
  if (code >= 530 && code <= 538) return 'authentication'
  if (code === 552) return stage === 'rcpt' ? 'mailbox_full' : 'size'
  if ((code >= 500 && code <= 504) || code === 555) return 'protocol'
  return 'recipient'
}

/** Before a message is proposed, only the sender or the server can be meant. */
const early: ReadonlySet<Stage> = new Set<Stage>(['connect', 'greeting', 'ehlo', 'starttls'])

/**
 * Texts are judged without addresses, links and names of hosts, which may hold any word, and without the server's name
 * before its words in a report.
 */
const judged = (text: string): string =>
  text
    .slice(0, 1_000)
    .replace(/^.*?\bsaid:/s, '')
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/<[^<>]*>|\bhttps?:\S+|\S+@\S+/g, ' ')
    .replaceAll(/\b[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}[\p{L}\p{N}-]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')

const holds = ({ codes, text, unless }: Row, detail: string | null, said: string): boolean =>
  (detail !== null && codes?.test(detail)) || (text?.test(said) === true && unless?.test(said) !== true)

/** What a refusal is about. A reply of 4yz, or a report that a server gave up after such replies, is `temporary`. */
export function refusalClassOf({ stage, code, status, text }: GivenRefusal): RefusalClass {
  if (code !== null ? code < 500 : status?.startsWith('4.')) return 'temporary'
  if (stage === 'auth') return 'authentication'
  const said = judged(text)
  const detail = status?.slice(2) ?? null
  // Exchange Online: the recipient is unknown at its edge, or the domain has just moved there.
  if (detail === '4.1' && /recipient address rejected/.test(said)) return 'recipient'
  // 5.0.0 says nothing.
  const statusDetail = detail !== null && detail !== '0.0' ? detail : null
  const found = table.find((row) => holds(row, statusDetail, said))?.is ?? byCode(stage, code)
  if (stage !== null && early.has(stage))
    return found === 'reputation' || found === 'rate' || found === 'authentication' ? found : 'unavailable'
  return found
}

/**
 * Whether it concerns the sender: another recipient of the same server would be refused as well, and this one may be
 * sent to when the cause is removed.
 */
export const concernsSender = (refusal: RefusalClass): boolean =>
  refusal === 'reputation' || refusal === 'rate' || refusal === 'authentication' || refusal === 'content'
