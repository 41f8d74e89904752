// FrameConnection: one connection of a FramePeer, which its script controls.

import NIOCore
import NIOHPACK
import Synchronization

@testable import TsubameTesting

/// A request as its frames held it.
struct PeerRequest: Sendable {
    let stream: UInt32
    /// The fields in the order in which they were sent, pseudo-fields included.
    let fields: [PeerField]
    let endsStream: Bool

    /// The value of the first field with this name.
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The fields, each as `name: value`.
    var lines: [String] { fields.map(\.description) }
}

/// Receives and sends frames. ``frames`` keeps every received frame, read or not.
final class FrameConnection: Sendable {
    /// The connection ended while something was awaited or being sent.
    struct Ended: Error, CustomStringConvertible {
        let description: String
    }

    private struct State: Sendable {
        var frames: [PeerFrame] = []
        /// The number of frames that ``nextFrame()`` has returned.
        var given = 0
        var isAtEnd = false
        var violation: FramePeer.Violation?
    }

    static let cutOff = ServerWire.End.cutOff

    /// The connection's number; the first of a peer is 0.
    let number: Int
    private let channel: any Channel
    private let state = Watched(State())
    /// Held until the encoded block is handed over, because the client must decode blocks in that order.
    private let encoder = Mutex(HPACKEncoder(allocator: ByteBufferAllocator()))

    init(number: Int, _ channel: any Channel) {
        self.number = number
        self.channel = channel
    }

    // MARK: Receiving

    /// Whether bytes are read as they come. The default is true.
    func setReading(_ isOn: Bool) async throws {
        let allocator: any RecvByteBufferAllocator =
            isOn ? AdaptiveRecvByteBufferAllocator() : FixedSizeRecvByteBufferAllocator(capacity: 4096)
        try await channel.setOption(.recvAllocator, value: allocator).get()
        try await channel.setOption(.maxMessagesPerRead, value: UInt(isOn ? 4 : 1)).get()
        try await channel.setOption(.autoRead, value: isOn).get()
    }

    /// Reads 4 KiB at most, while reading is off.
    func readOnce() { channel.read() }

    /// All frames received so far.
    var frames: [PeerFrame] { state.read { $0.frames } }

    /// Whether the client has closed the connection, or the peer has.
    var isAtEnd: Bool { state.read { $0.isAtEnd } }

    /// The client's connection preface (RFC 9113 section 3.4): its SETTINGS, the first frame.
    func preface() async throws -> [(id: UInt16, value: UInt32)] {
        try await waitUntil("the preface") { !$0.isEmpty }
        state.change { $0.given = max($0.given, 1) }
        return frames[0].settings
    }

    /// The next frame after the preface, acknowledgements included.
    func nextFrame() async throws -> PeerFrame {
        _ = try await preface()
        while true {
            let next = state.change { state -> PeerFrame? in
                guard state.given < state.frames.count else { return nil }
                state.given += 1
                return state.frames[state.given - 1]
            }
            if let next { return next }
            let given = state.read { $0.given }
            try await waitUntil("frame \(given)") { $0.count > given }
        }
    }

    /// The next head of a request. Earlier frames are skipped; ``frames`` holds them.
    func nextRequest() async throws -> PeerRequest {
        while true {
            let frame = try await nextFrame()
            guard let block = frame.block, block.fields.contains(where: { $0.name == ":method" }) else { continue }
            return PeerRequest(stream: frame.stream, fields: block.fields, endsStream: block.endsStream)
        }
    }

    /// The first frame, read or not, that satisfies the predicate.
    func frame(
        _ what: String = "a certain frame", _ isWanted: @escaping @Sendable (PeerFrame) -> Bool
    ) async throws -> PeerFrame {
        try await waitUntil(what) { $0.contains(where: isWanted) }
        guard let frame = frames.first(where: isWanted) else { throw Ended(description: "\(what) was not found") }
        return frame
    }

    /// The complete body of a request.
    /// - Parameter grants: whether the peer gives back the windows of received bytes (RFC 9113 section 5.2). Otherwise
    ///   the client gets no more window.
    func body(of stream: UInt32, grants: Bool = true) async throws -> [UInt8] {
        var granted = 0
        while true {
            let all = frames
            let mine = all.filter { $0.stream == stream }
            let data = mine.filter { $0.kind == .data }
            if mine.contains(where: \.endsStream) { return data.flatMap(\.content) }
            if mine.contains(where: { $0.kind == .reset }) {
                throw Ended(description: "stream \(stream) was reset within its body")
            }
            let sent = data.reduce(0) { $0 + $1.payload.count }
            if grants, sent > granted {
                try await windowUpdate(0, UInt32(sent - granted))
                try await windowUpdate(stream, UInt32(sent - granted))
                granted = sent
            }
            try await waitUntil("the body of stream \(stream)") { $0.count > all.count }
        }
    }

    /// The fields after a request's body.
    func trailers(of stream: UInt32) async throws -> [PeerField] {
        let last = try await frame("trailers of stream \(stream)") { frame in
            frame.stream == stream && frame.endsStream
                && frame.block?.fields.contains { $0.name.hasPrefix(":") } == false
        }
        return last.block?.fields ?? []
    }

    /// Returns when the connection is closed at both ends.
    func closed() async throws { try await state.wait { $0.isAtEnd } }

    /// Returns when the received frames satisfy the predicate.
    func waitUntil(_ what: String, _ isMet: @escaping @Sendable ([PeerFrame]) -> Bool) async throws {
        try await state.wait { isMet($0.frames) || $0.isAtEnd || $0.violation != nil }
        let (hasCome, violation) = state.read { (isMet($0.frames), $0.violation) }
        if hasCome { return }
        if let violation { throw violation }
        throw Ended(description: "connection \(number) ended before \(what) had come")
    }

    // MARK: Sending

    /// Sends exactly these bytes.
    func send(_ bytes: [UInt8]) async throws {
        try await taken(write(bytes))
    }

    func send(_ frames: PeerFrame...) async throws { try await send(frames.flatMap(\.bytes)) }

    /// Sends a field block.
    /// - Parameters:
    ///   - fields: the fields, sent unchanged and in this order, `:status` included.
    ///   - flags: further flags of the HEADERS frame.
    ///   - padding: the number of bytes of padding; nil for no padding and no padding length.
    ///   - continuations: the number of CONTINUATION frames over which the block is spread after its HEADERS.
    func sendHeaders(
        _ stream: UInt32, _ fields: [(String, String)], endStream: Bool = false, flags: UInt8 = 0,
        padding: UInt8? = nil, continuations: Int = 0
    ) async throws {
        let sent = try encoder.withLock { encoder in
            var block = ByteBuffer()
            try encoder.encode(headers: HPACKHeaders(fields), to: &block)
            let frames = Self.frames(
                stream, Array(block.readableBytesView), flags: flags | (endStream ? PeerFrame.Flag.endStream : 0),
                padding: padding, continuations: continuations)
            return write(frames.flatMap(\.bytes))
        }
        try await taken(sent)
    }

    private func write(_ bytes: [UInt8]) -> EventLoopFuture<Void> {
        let promise = channel.eventLoop.makePromise(of: Void.self)
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: promise)
        return promise.futureResult
    }

    /// Returns when the socket has taken the written bytes.
    private func taken(_ write: EventLoopFuture<Void>) async throws {
        do {
            try await write.get()
        } catch {
            throw Ended(description: "connection \(number) ended while something was sent: \(error)")
        }
    }

    /// The frames of a block that the caller has encoded.
    static func frames(
        _ stream: UInt32, _ block: [UInt8], flags: UInt8 = 0, padding: UInt8? = nil, continuations: Int = 0
    ) -> [PeerFrame] {
        let size = max(1, (block.count + continuations) / (continuations + 1))
        var rest = block[...]
        let first = Array(continuations == 0 ? rest : rest.prefix(size))
        rest = rest.dropFirst(first.count)
        var payload = first
        var flags = flags | (continuations == 0 ? PeerFrame.Flag.endHeaders : 0)
        if let padding {
            flags |= PeerFrame.Flag.padded
            payload = [padding] + first + [UInt8](repeating: 0, count: Int(padding))
        }
        var frames = [PeerFrame(.headers, flags: flags, stream: stream, payload)]
        for index in 0..<continuations {
            let isLast = index == continuations - 1
            let piece = Array(isLast ? rest : rest.prefix(size))
            rest = rest.dropFirst(piece.count)
            let flags = isLast ? PeerFrame.Flag.endHeaders : 0
            frames.append(PeerFrame(.continuation, flags: flags, stream: stream, piece))
        }
        return frames
    }

    /// Sends one DATA frame, regardless of its size and the client's windows.
    func sendData(
        _ stream: UInt32, _ bytes: [UInt8], endStream: Bool = false, padding: UInt8? = nil
    ) async throws {
        let flags: UInt8 = endStream ? PeerFrame.Flag.endStream : 0
        guard let padding else { return try await send(PeerFrame(.data, flags: flags, stream: stream, bytes)) }
        let payload = [padding] + bytes + [UInt8](repeating: 0, count: Int(padding))
        try await send(PeerFrame(.data, flags: flags | PeerFrame.Flag.padded, stream: stream, payload))
    }

    func sendData(_ stream: UInt32, _ text: String, endStream: Bool = false) async throws {
        try await sendData(stream, Array(text.utf8), endStream: endStream)
    }

    /// Sends a whole response: its head, and one DATA frame if there is a text.
    func respond(
        _ stream: UInt32, status: Int = 200, _ fields: [(String, String)] = [], text: String = ""
    ) async throws {
        try await sendHeaders(stream, [(":status", "\(status)")] + fields, endStream: text.isEmpty)
        if !text.isEmpty { try await sendData(stream, text, endStream: true) }
    }

    func settings(_ settings: [(UInt16, UInt32)]) async throws {
        try await send(.settings(settings))
    }

    func acknowledgeSettings() async throws {
        try await send(PeerFrame(.settings, flags: PeerFrame.Flag.acknowledgement))
    }

    func reset(_ stream: UInt32, _ code: UInt32) async throws {
        try await send(PeerFrame(.reset, stream: stream, code.bigEndianBytes))
    }

    func goAway(_ lastStream: UInt32, _ code: UInt32, _ text: String = "") async throws {
        try await send(PeerFrame(.goAway, lastStream.bigEndianBytes + code.bigEndianBytes + Array(text.utf8)))
    }

    func windowUpdate(_ stream: UInt32, _ increment: UInt32) async throws {
        try await send(PeerFrame(.windowUpdate, stream: stream, increment.bigEndianBytes))
    }

    /// Stops to read the socket, or goes on.
    func reading(_ isOn: Bool) async throws { try await channel.setOption(.autoRead, value: isOn).get() }

    func ping(_ data: UInt64 = 0) async throws { try await send(PeerFrame(.ping, data.bigEndianBytes)) }

    // MARK: Ending

    /// By FIN; with TLS, after a close_notify.
    func close() async {
        channel.close(promise: nil)
        try? await channel.closeFuture.get()
    }

    /// By FIN, beneath TLS.
    func cutOff() async { await end(.cutOff) }

    /// By RST.
    func abort() async { await end(.reset) }

    private func end(_ how: ServerWire.End) async {
        channel.triggerUserOutboundEvent(how, promise: nil)
        try? await channel.closeFuture.get()
    }

    // MARK: For the receiver

    func add(_ frame: PeerFrame) { state.change { $0.frames.append(frame) } }

    func answer(_ frame: PeerFrame) { channel.writeAndFlush(ByteBuffer(bytes: frame.bytes), promise: nil) }

    func fail(_ violation: FramePeer.Violation) { state.change { $0.violation = $0.violation ?? violation } }

    func end() { state.change { $0.isAtEnd = true } }

    /// The client's violation of the protocol, if any.
    var violation: FramePeer.Violation? { state.read { $0.violation } }

    /// Takes the client's settings, so that the encoder uses no more of the table than the client has room for.
    func take(settings: [(id: UInt16, value: UInt32)]) {
        for setting in settings where setting.id == 1 {
            encoder.withLock { try? $0.setDynamicTableSize(min(4_096, Int(setting.value))) }
        }
    }
}
