// FuzzTarget+Proxies: the answers of a proxy. The result must not depend on how the bytes were cut into reads.

import TsubameCore
import TsubameWire

/// The answers of a handshake to the bytes of a proxy.
private struct HandshakeLog: Equatable {
    var answers: [String] = []
    var mayBeginAnew = false
    /// The bytes that follow the handshake, which belong to the origin.
    var rest: [UInt8] = []
}

/// Answers the first challenges of a proxy, and then gives up.
private final class FewAnswers: ProxyAuthorizer {
    private var left = 3

    func answer(_ challenges: [String]) -> String? {
        left -= 1
        return left < 0 ? nil : "Basic \(challenges.count)"
    }

    func take(_ information: [String]) {}
}

extension FuzzTarget {
    private static func log(
        _ pieces: [[UInt8]], _ make: () throws(WireError) -> any ProxyHandshake
    ) throws(Finding) -> HandshakeLog {
        let handshake: any ProxyHandshake
        do throws(WireError) {
            handshake = try make()
        } catch {
            return HandshakeLog(answers: ["\(error)"])
        }
        var log = HandshakeLog()
        var isOver = false
        for piece in pieces {
            log.rest += piece
            while !isOver {
                let count = log.rest.count
                do throws(WireError) {
                    guard let answer = try handshake.receive(&log.rest) else { break }
                    log.answers.append("\(answer)")
                    switch answer {
                    case .send: break
                    case .free, .elsewhere: isOver = true
                    }
                } catch {
                    log.answers.append("\(error)")
                    isOver = true
                    // An error ends the reading.
                    log.rest = []
                }
                try require(log.rest.count <= count, "the handshake added bytes to the input")
                try require(log.answers.count < 10_000, "the handshake does not end")
            }
            if isOver, log.answers.last != "free" { log.rest = [] }
        }
        log.mayBeginAnew = handshake.mayBeginAnew
        return log
    }

    private static func compareCuts(
        _ bytes: [UInt8], _ make: () throws(WireError) -> any ProxyHandshake
    ) throws(Finding) {
        let whole = try log([bytes], make)
        try requireEqual(whole, try log(Cuts.pieces(bytes), make), "another cut is another result")
        try requireEqual(whole, try log(bytes.map { [$0] }, make), "byte by byte it is another result")
    }

    static let proxies = [
        // The first byte chooses whether the client has credentials.
        FuzzTarget("proxy-connect", upTo: 2_048) { bytes in
            guard let first = bytes.first else { return }
            try compareCuts(Array(bytes.dropFirst())) {
                ConnectHandshake(
                    authority: "origin.test:443", authorization: nil, credentials: first & 1 == 0 ? nil : FewAnswers(),
                    limits: Limits())
            }
        },
        // The first byte chooses the version of SOCKS, and whether the client has credentials.
        FuzzTarget("proxy-socks", upTo: 600) { bytes in
            guard let first = bytes.first else { return }
            try compareCuts(Array(bytes.dropFirst())) { () throws(WireError) in
                if first & 1 == 0 {
                    return try SOCKS4Handshake(host: "origin.test", address: nil, port: 443, user: "user")
                }
                return try SOCKS5Handshake(
                    host: "origin.test", address: nil, port: 443,
                    credentials: first & 2 == 0 ? nil : (user: "user", password: "password"))
            }
        },
    ]
}
