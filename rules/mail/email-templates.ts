// What an e-mail template is for, and what its body is written in.
import { z } from 'zod'

export const EmailTemplateType = z.enum(['transactional', 'campaign', 'subscription_confirmation'])

export const EmailTemplateFormat = z.enum(['mjml', 'html'])
