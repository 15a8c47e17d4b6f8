// Every workflow: its exported name is the kind of the process (rules/processes.ts).
export { booking_reminder } from './booking-reminder.ts'
export { checkout } from './checkout.ts'
export { connect, mail, refund } from './effects.ts'
export { execution } from './execution.ts'
export { onboarding_link } from './onboarding-link.ts'
