// Campaigns: what may be stored, their states, and what a campaign needs before it can be launched.
import { z } from 'zod'

export const CampaignStatus = z.enum(['draft', 'scheduled', 'running', 'paused', 'completed', 'cancelled'])
export type CampaignStatus = z.infer<typeof CampaignStatus>

/** What a running campaign waits for: its window is closed, or all of its mailboxes rest. */
export const CampaignWait = z.enum(['send_window', 'mailboxes'])
export type CampaignWait = z.infer<typeof CampaignWait>

/** `unknown`: a message of it may or may not have been sent, and what follows depends on it. */
export const EnrollmentStatus = z.enum([
  'active',
  'completed',
  'replied',
  'unsubscribed',
  'bounced',
  'complained',
  'failed',
  'unknown',
  'cancelled',
])
export type EnrollmentStatus = z.infer<typeof EnrollmentStatus>

/** `step`: of the sequence; `reply`: written by an operator; `test`: to an address of the operator's choice. */
export const MessageKind = z.enum(['step', 'reply', 'test'])
export type MessageKind = z.infer<typeof MessageKind>

export const InboundKind = z.enum(['reply', 'auto_reply', 'bounce', 'complaint'])
export type InboundKind = z.infer<typeof InboundKind>

export const ImportStatus = z.enum(['running', 'completed', 'failed'])
export type ImportStatus = z.infer<typeof ImportStatus>

export const MAILBOXES_MAX = 20
export const STEPS_MAX = 20
/** Seconds between two steps. */
export const DELAY_MAX_S = 90 * 86_400
/** New messages for one step of an enrollment after a server deferred it in reply to the final dot. */
export const TRIES_MAX = 3
export const ATTACHMENTS_MAX = 10
export const ATTACHMENTS_BYTES_MAX = 10 * 1024 * 1024

type Start = { status: CampaignStatus; begun_at?: number | null }

/** Whether a launched campaign was started. One that is paused before its start, or missed it, was not. */
export const hasStarted = ({ status, begun_at = null }: Start): boolean =>
  status !== 'draft' && status !== 'scheduled' && !(status === 'paused' && begun_at === null)
