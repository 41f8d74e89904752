// LocalHTTPServer: a server at a Unix-domain socket.

import Foundation

/// Answers one request with the request's own head, on a separate thread.
final class LocalHTTPServer: Sendable {
    private let listener: Int32

    init(_ path: String) throws {
        #if canImport(Darwin)
        let listener = socket(AF_UNIX, SOCK_STREAM, 0)
        #else
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        self.listener = listener
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard path.utf8.count < room.count else { return false }
            room.copyBytes(from: path.utf8)
            return true
        }
        let isBound = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard fits, isBound, listen(listener, 1) == 0 else { throw ProductError("no server at \(path)") }
        Thread.detachNewThread {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            var head = ""
            var byte: UInt8 = 0
            while !head.hasSuffix("\r\n\r\n"), read(connection, &byte, 1) == 1 {
                head.unicodeScalars.append(.init(byte))
            }
            let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: \(head.utf8.count)\r\n\r\n\(head)".utf8)
            _ = answer.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
            close(connection)
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }
}
