declare const __VERSION__: string;

const words = process.argv.slice(2);
const [first] = words;

// The version is asked for by scripts, often: it must not wait for anything to load.
if (words.length === 1 && (first === '--version' || first === '-V' || first === 'version')) {
  process.stdout.write(`${__VERSION__}\n`);
} else {
  const { runCli } = await import('./faces/cli/cli.ts');
  process.exitCode = await runCli(words, __VERSION__);
}
