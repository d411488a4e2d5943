// Stands inside a network namespace and carries what comes in on loopback to a socket file outside of it.
import { connect, createServer } from 'node:net';

const outside = process.argv[2];
const server = createServer((inner) => {
  const outer = connect(outside);
  inner.pipe(outer).pipe(inner);
  // Either end going away is the end of both: a client that gives up must look so to the model server.
  for (const [one, other] of [
    [inner, outer],
    [outer, inner],
  ]) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
// It ends with the test that started it, whatever happens to that.
process.stdin.on('end', () => process.exit(0)).resume();
