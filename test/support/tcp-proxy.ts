import { connect, createServer, type Socket } from 'node:net';
import { closing, listening } from './loopback-server.ts';

/** What happens to each connection. Bytes are those of the answers. */
export interface Damage {
  /** After so many bytes of answer … */
  readonly after: number;
  /** … the connection is closed, reset, or goes on without another byte. */
  readonly then: 'close' | 'reset' | 'hang';
}

export interface TcpProxy {
  readonly port: number;
  close(): Promise<void>;
}

/** Passes connections on to a port of 127.0.0.1 and damages what comes back. */
export const startTcpProxy = async (target: number, damage: Damage): Promise<TcpProxy> => {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((client) => {
    keep(client);
    const service = keep(connect(target, '127.0.0.1'));
    client.pipe(service);
    let passed = 0;
    service.on('data', (chunk: Buffer) => {
      const part = chunk.subarray(0, damage.after - passed);
      passed += part.byteLength;
      if (part.byteLength > 0) client.write(part);
      if (passed < damage.after || damage.then === 'hang') return;
      service.destroy();
      if (damage.then === 'reset') client.resetAndDestroy();
      else client.end();
    });
    service.on('end', () => client.end());
    client.on('close', () => service.destroy());
  });
  const port = await listening(server);
  return {
    port,
    close: () =>
      closing(server, () => {
        for (const socket of sockets) socket.destroy();
      }),
  };
};
