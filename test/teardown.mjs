export { default } from './kit/stack/stack-down.ts'
