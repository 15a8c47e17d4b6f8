// What the e-mails of the installation have in common: one column of HTML, and names that cannot break out of a line or
// of the markup, and are no address.
import { shortened } from '../excerpts.ts'
import { hasLink } from '../links.ts'

export type MailParts = { subject: string; text: string; html: string }

export const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)

/**
 * A name that others chose, as one line of 80 characters at most, without characters that are not visible or reverse
 * the text.
 */
const oneLine = (name: string): string =>
  shortened(
    name
      .replaceAll(/\p{Cf}/gu, '')
      .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
      .trim(),
    80,
  )

/**
 * Whether readers' programs may take the name for an address. They read other widths of a letter, and other full stops,
 * as the plain ones.
 */
const isAddress = (name: string): boolean => hasLink(name.normalize('NFKC').replaceAll(/\u3002/g, '.'))

/**
 * What an e-mail of the installation calls something that a stranger named: the first of these names that holds no
 * address, on one line. Otherwise anyone could have the installation mail addresses of their own.
 */
export function nameInMail(names: readonly (string | null)[], otherwise: string): string {
  const found = names.map((name) => oneLine(name ?? '')).find((name) => name !== '' && !isAddress(name))
  return found ?? otherwise
}

/** `title` is escaped here, `inner` is HTML. */
export const mailPage = (title: string, inner: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title></head>
<body style="margin:0;padding:32px 16px;background:#f4f4f2;color:#222;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:440px;margin:0 auto;padding:32px;background:#fff;border-radius:8px">
${inner}
</div></body></html>
`
