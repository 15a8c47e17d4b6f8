// The mail that brings a sign-in code: the code comes first, and nothing else in it looks like one.
export type CodeMail = { subject: string; text: string; html: string }

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)

/** `to`: what the reader signs in to, a name that people gave: of one line and of bounded length. */
export function codeMail(code: string, to: string, minutes: number): CodeMail {
  const name = to
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, 80)
  const good = `It is good for ${minutes} minutes and for one sign-in.`
  const ignore = 'If you did not ask for it, somebody may have mistyped an address: you can ignore this mail. Never pass the code on to anybody.'
  const shown = escaped(name)
  return {
    subject: `${code} is your code for ${name}`,
    text: `${code}\n\nThis is your code to sign in to ${name}. ${good}\n\n${ignore}\n`,
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign in to ${shown}</title></head>
<body style="margin:0;padding:32px 16px;background:#f4f4f2;color:#222;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:440px;margin:0 auto;padding:32px;background:#fff;border-radius:8px">
<p style="margin:0 0 16px">Your code to sign in to <strong>${shown}</strong>:</p>
<p style="margin:0 0 16px;font:700 32px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px">${code}</p>
<p style="margin:0 0 16px">${good}</p>
<p style="margin:0;color:#666;font-size:13px">${ignore}</p>
</div></body></html>
`,
  }
}
