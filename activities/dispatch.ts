// Sends the campaign messages of one mailbox.

export async function drainMailbox(_mailboxId: string): Promise<{ wait_ms: number | null }> {
  return { wait_ms: null }
}
