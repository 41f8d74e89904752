// Ways: the ways to wait, seen as one; and what the tests of this folder share.

import Dispatch
import Testing
import Tsubame
import TsubameTesting

/// How a call is waited for.
enum Way: String, Sendable, CaseIterable {
    case async, blocking

    func send(_ request: Request, by client: Client) async throws -> Response {
        switch self {
        case .async: try await client.send(request)
        case .blocking: try await onThread { try client.blocking.send(request) }
        }
    }
}

/// The error that `body` fails with; records an issue if it does not fail, or with something else.
func failure<R>(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> R
) async throws -> CallError {
    do {
        let result = try await body()
        Issue.record("did not fail: \(result)", sourceLocation: sourceLocation)
    } catch let error as CallError {
        return error
    }
    throw NoFailure()
}

struct NoFailure: Error {}

extension ScriptedServer {
    /// `https://localhost:` and the port, for certificates that name localhost.
    var localhostURL: String { "https://localhost:\(port)" }
}

extension Gate {
    /// A gate that opens by itself: what makes a server slow.
    static func opening(after milliseconds: Int) -> Gate {
        let gate = Gate()
        gate.open(after: milliseconds)
        return gate
    }

    func open(after milliseconds: Int) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { self.open() }
    }
}

extension Body {
    /// Pieces of 64 KiB in no end of number.
    static func endless(_ pulled: @escaping @Sendable (Int) -> Void = { _ in }) -> Body {
        .stream { CountedPieces(count: .max, pulled: pulled) }
    }
}

/// Pieces of 64 KiB, made when they are asked for.
struct CountedPieces: AsyncSequence, Sendable {
    typealias Element = Bytes

    static let pieceBytes = 64 << 10
    let count: Int
    let pulled: @Sendable (Int) -> Void

    struct Iterator: AsyncIteratorProtocol {
        private static let piece = Bytes([UInt8](repeating: 0x61, count: CountedPieces.pieceBytes))
        let pieces: CountedPieces
        var given = 0

        mutating func next() async -> Bytes? {
            guard given < pieces.count else { return nil }
            given += 1
            pieces.pulled(given * CountedPieces.pieceBytes)
            return Self.piece
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(pieces: self) }
}

/// Does on a thread that may block what has to be awaited.
func waitHere(_ body: @escaping @Sendable () async throws -> Void) {
    let semaphore = DispatchSemaphore(value: 0)
    Task.detached {
        try? await body()
        semaphore.signal()
    }
    semaphore.wait()
}
