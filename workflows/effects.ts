// One line per effect that is a process of its own.
import { attempts, conclude, sending } from './attempts.ts'

export const refund = async (id: string) => conclude(await attempts('refunds', id, sending.sendRefund))
export const mail = async (id: string) => conclude(await attempts('mails', id, sending.sendMail))
export const connect = async (id: string) => conclude(await attempts('payment_providers', id, sending.sendConnect))
export const webhook_test = async (id: string) => conclude(await attempts('webhook_tests', id, sending.sendWebhookTest))
