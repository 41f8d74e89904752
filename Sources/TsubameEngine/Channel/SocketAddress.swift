// SocketAddress: the address of the engine's sockets. SwiftNIO has one of the same name, which the engine does not use.

import TsubameSockets

typealias SocketAddress = TsubameSockets.SocketAddress
