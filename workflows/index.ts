// Every workflow: its exported name is the kind of the process (rules/processes.ts).
export { booking_reminder } from './booking-reminder.ts'
export { checkout } from './checkout.ts'
export { deliver } from './deliver.ts'
export { connect, mail, refund, webhook_test } from './effects.ts'
export { execution } from './execution.ts'
export { onboarding_link } from './onboarding-link.ts'
export { schedule } from './schedule.ts'
export { scheduled } from './scheduled.ts'
