// Every workflow: its exported name is the kind of the process (rules/processes.ts).
export { checkout } from './checkout.ts'
export { connect, mail, refund } from './effects.ts'
export { onboarding_link } from './onboarding-link.ts'
