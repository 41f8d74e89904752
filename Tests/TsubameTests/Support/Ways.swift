// Ways: the ways to wait for a call, as one type, and helpers that the tests share.

import Dispatch
import Testing
import Tsubame
import TsubameTesting

/// A way to wait for a call.
enum Way: String, Sendable, CaseIterable {
    case async, blocking

    func send(_ request: Request, by client: Client) async throws -> Response {
        switch self {
        case .async: try await client.send(request)
        case .blocking: try await onThread { try client.blocking.send(request) }
        }
    }
}

/// The error of `body`. Records an issue if `body` succeeds, or throws another kind of error.
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
    /// A gate that opens by itself after a time, for a slow server.
    static func opening(after milliseconds: Int) -> Gate {
        let gate = Gate()
        gate.open(after: milliseconds)
        return gate
    }

    func open(after milliseconds: Int) {
        DispatchQueue(label: "tsubame.tests.gate").asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
            self.open()
        }
    }
}

extension RequestBody {
    /// An endless number of pieces of 64 KiB.
    static func endless(_ pulled: @escaping @Sendable (Int) -> Void = { _ in }) -> RequestBody {
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

/// Blocks this thread until the asynchronous `body` is done, but at most 2 s. The thread may be an event loop, for which
/// `body` may wait itself.
/// - Returns: whether `body` was done in time.
func waitHere(_ body: @escaping @Sendable () async throws -> Void) -> Bool {
    let semaphore = DispatchSemaphore(value: 0)
    let task = Task.detached {
        try? await body()
        semaphore.signal()
    }
    let isDone = semaphore.wait(timeout: .now() + 2) == .success
    if !isDone { task.cancel() }
    return isDone
}
