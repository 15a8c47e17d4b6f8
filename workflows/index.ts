// Every workflow: its exported name is the kind of the process (rules/processes.ts).
export { checkout } from './checkout.ts'
export { connect, mail, onboarding_link, refund } from './effects.ts'
