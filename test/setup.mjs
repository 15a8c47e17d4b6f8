export { default } from './kit/stack/stack-up.ts'
