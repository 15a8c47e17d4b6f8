export { default } from './kit/stack-up.ts'
