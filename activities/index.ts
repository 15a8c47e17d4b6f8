// Everything that workflows may ask for.
export { readCheckout, releaseCheckout, requestSessionExpiry } from './checkouts.ts'
export { readOnboarding, readProviderAccount, sendConnect, sendOnboardingLink } from './connects.ts'
export { sendMail } from './mails.ts'
export { giveUpEffect, settleEffect } from './once.ts'
export { findPaymentSession, readPaymentSession, sendPaymentSession, sendSessionExpiry } from './payment-sessions.ts'
export { sendRefund } from './refunds.ts'
export { applyReminders } from './reminders.ts'
