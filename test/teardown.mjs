export { default } from './kit/stack-down.ts'
