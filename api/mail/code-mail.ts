// The e-mail with a sign-in code. The code comes first, and no other text in it could be taken for one.
export type CodeMail = { subject: string; text: string; html: string }

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)

/** `to`: the name of what the reader signs in to, shortened to one line of 80 characters. */
export function codeMail(code: string, to: string, minutes: number): CodeMail {
  const name = to
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, 80)
  const validity = `It is valid for ${minutes} minutes and for one sign-in.`
  const ignore = 'If you did not request it, you can ignore this e-mail: another person may have mistyped their address. Do not share the code with anyone.'
  const shown = escaped(name)
  return {
    subject: `${code} is your code for ${name}`,
    text: `${code}\n\nThis is your code to sign in to ${name}. ${validity}\n\n${ignore}\n`,
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign in to ${shown}</title></head>
<body style="margin:0;padding:32px 16px;background:#f4f4f2;color:#222;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:440px;margin:0 auto;padding:32px;background:#fff;border-radius:8px">
<p style="margin:0 0 16px">Your code to sign in to <strong>${shown}</strong>:</p>
<p style="margin:0 0 16px;font:700 32px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px">${code}</p>
<p style="margin:0 0 16px">${validity}</p>
<p style="margin:0;color:#666;font-size:13px">${ignore}</p>
</div></body></html>
`,
  }
}
