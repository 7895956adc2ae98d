/// x.ts?worker: x.ts bundled as a script of its own, as text (build.mjs).
declare module '*?worker' {
  const code: string;
  export default code;
}
