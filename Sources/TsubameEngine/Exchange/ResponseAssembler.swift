// ResponseAssembler: makes head, body and trailers of what a connection reads.

import HTTPTypes
import TsubameCore
import TsubamePlatform

/// The response of one exchange as far as it has come. A small body is gathered, so that its call is resumed once. A large
/// body, or one that the caller wants as it comes, goes through a window.
struct ResponseAssembler {
    /// A body of more bytes goes through a window.
    private static let gatheredBytes = 256 << 10
    /// How much of a refused response is read, so that its connection can be used again.
    private static let drainedBytes = 64 << 10

    private(set) var head: ReceivedHead?
    /// The declared length of the body.
    private(set) var expectedLength: Int64?
    private(set) var receivedBytes: Int64 = 0
    private(set) var trailers: ResponseTrailers?
    private(set) var window: BodyWindow?
    private var gathered = GatheredBytes()
    /// The bytes read of a response after which the request goes out again; nil for any other.
    private var refusedBytes: Int?

    /// Whether the response is only read to its end, and the request then goes out again.
    var isRefused: Bool { refusedBytes != nil }

    /// The head has come, and a body follows.
    mutating func begin(_ head: ReceivedHead, length: Int64?) {
        self.head = head
        expectedLength = length
        trailers = ResponseTrailers()
    }

    /// The response that follows is only read to its end.
    mutating func refuse() { refusedBytes = 0 }

    /// Drops a piece of a refused response.
    /// - Returns: false if that is too long to be read to its end.
    mutating func drain(_ piece: Bytes) -> Bool {
        let count = (refusedBytes ?? 0) + piece.count
        refusedBytes = count
        return count <= Self.drainedBytes
    }

    /// Takes a piece of the body.
    /// - Parameter isShared: whether the memory of the piece may hold pieces of other bodies.
    /// - Returns: whether reading is to pause.
    mutating func append(_ piece: Bytes, isShared: Bool) -> Bool {
        receivedBytes += Int64(piece.count)
        if let window { return window.append(piece, isShared: isShared) }
        gathered.append(piece)
        return false
    }

    /// The reader of the window has received so many bytes by itself.
    mutating func countLent(_ count: Int64) { receivedBytes += count }

    /// Whether the caller is to have the body piece by piece from now on.
    func wantsWindow(for call: Call) -> Bool {
        guard window == nil, let head else { return false }
        return call.options.wantsStream || receivedBytes > Self.gatheredBytes
            || call.options.statusesPassedOnEarly?.contains(head.status) == true
    }

    /// Lets what has been gathered, and what comes from now on, go through a window.
    mutating func openWindow(_ producer: any BodyProducer, call: Call, isShared: Bool) -> BodyWindow {
        let window = BodyWindow(
            producer, call: call, initial: gathered.all(), isShared: isShared, isCollected: !call.options.wantsStream)
        gathered = GatheredBytes()
        self.window = window
        return window
    }

    /// The body is complete.
    /// - Returns: the body, unless it has gone through a window.
    mutating func end(trailers fields: HTTPFields?) -> ResponseBody? {
        if let fields { trailers?.set(fields) }
        guard let window else {
            defer { gathered = GatheredBytes() }
            return ResponseBody(gathered.joined())
        }
        self.window = nil
        window.end(.success(()))
        return nil
    }

    /// The body ends with an error.
    /// - Returns: whether its reader is told that by a window.
    mutating func fail(_ error: CallError) -> Bool {
        gathered = GatheredBytes()
        guard let window else { return false }
        self.window = nil
        window.end(.failure(error))
        return true
    }
}
