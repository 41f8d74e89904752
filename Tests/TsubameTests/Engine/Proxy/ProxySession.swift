// ProxySession: one connection of a ScriptedProxy, which reads the client's messages, asks the script and relays bytes.

import NIOCore
import NIOPosix

@testable import TsubameTesting

/// The innermost handler of a connection. Confined to its event loop, like the connection to the target.
final class ProxySession: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private enum Stage {
        case opening, methods, credentials, socks5, socks4, connect, forward, tunnel
    }

    private let number: Int
    private let context: ProxyContext
    private let hasTLS: Bool
    private var channel: (any Channel)?
    private var stage = Stage.opening
    /// The bytes that have arrived and have not been parsed yet.
    private var buffer = ByteBuffer()
    private var parser = RequestParser()
    /// Whether a step is in progress; bytes that arrive meanwhile wait.
    private var isBusy = false
    private var hasEnded = false
    private var credentials: (user: String, password: String)?
    private var upstream: (target: String, channel: any Channel)?
    /// The answer to a forwarded request without a route, due when the request is complete.
    private var answer: [ProxyStep]?
    private var leaveGate: (@Sendable () -> Void)?

    init(number: Int, context: ProxyContext, hasTLS: Bool) {
        self.number = number
        self.context = context
        self.hasTLS = hasTLS
    }

    func channelActive(context: ChannelHandlerContext) {
        channel = context.channel
        if let steps = self.context.script(.accepted, number) { perform(steps[...]) {} }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = Self.unwrapInboundIn(data)
        let (number, isTunnel) = (number, stage == .tunnel)
        self.context.record.change { record in
            let path: WritableKeyPath<ProxyRecord.Connection, [UInt8]> = isTunnel ? \.tunnelled : \.received
            let left = ProxyContext.kept - record.connections[number][keyPath: path].count
            record.connections[number][keyPath: path] += bytes.readableBytesView.prefix(max(left, 0))
        }
        if isTunnel, let upstream {
            upstream.channel.writeAndFlush(bytes, promise: nil)
        } else {
            buffer.writeBuffer(&bytes)
            proceed()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        hasEnded = true
        leaveGate?()
        leaveGate = nil
        upstream?.channel.close(promise: nil)
        upstream = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { end(by: .cutOff) }

    // MARK: Messages

    private func proceed() {
        while !isBusy, !hasEnded, takeMessage() {}
    }

    /// Takes one message from the buffer and begins to answer it. Returns false if more bytes are needed.
    private func takeMessage() -> Bool {
        switch stage {
        case .opening:
            guard let first = buffer.readableBytesView.first else { return false }
            stage = first == 5 ? .methods : first == 4 ? .socks4 : first == UInt8(ascii: "C") ? .connect : .forward
            return true
        case .methods:
            guard let methods = take({ $0.methods() }) else { return false }
            let wanted: UInt8 = context.credentials == nil ? 0 : 2
            let own: [ProxyStep] = methods.contains(wanted) ? [.bytes([5, wanted])] : [.bytes([5, 0xFF]), .close]
            perform(steps(.methods(methods)) ?? own[...]) { self.stage = .credentials }
            return true
        case .credentials:
            guard let first = buffer.readableBytesView.first else { return false }
            guard first == 1 else {
                stage = .socks5
                return true
            }
            guard let (user, password) = take({ $0.credentials() }) else { return false }
            credentials = (user, password)
            let isKnown = context.credentials == "\(user):\(password)"
            let own: [ProxyStep] = isKnown ? [.bytes([1, 0])] : [.bytes([1, 1]), .close]
            perform(steps(.credentials(user: user, password: password)) ?? own[...]) { self.stage = .socks5 }
            return true
        case .socks5:
            guard var request = take({ $0.request5() }) else { return false }
            (request.user, request.password) = (credentials?.user, credentials?.password)
            answer(request, isKnown: true)
            return true
        case .socks4:
            guard let request = take({ $0.request4() }) else { return false }
            let user = context.credentials?.split(separator: ":").first.map(String.init)
            answer(request, isKnown: user == nil || user == request.user)
            return true
        case .connect:
            guard let head = takeHead() else { return false }
            answer(request(.connect, head, target: head.target), isKnown: isKnown(head))
            return true
        case .forward:
            if buffer.readableBytes > 0 {
                parser.push(buffer)
                buffer = ByteBuffer()
            }
            guard let event = parser.next() else { return false }
            forward(event)
            return true
        case .tunnel:
            return false
        }
    }

    private func take<T>(_ read: (inout SOCKSReader) -> T?) -> T? {
        var reader = SOCKSReader(Array(buffer.readableBytesView))
        guard let message = read(&reader) else { return nil }
        buffer.moveReaderIndex(forwardBy: reader.length)
        return message
    }

    /// Takes exactly the head, so that bytes that a client sends too early stay in the buffer.
    private func takeHead() -> RequestParser.Head? {
        let end = Array("\r\n\r\n".utf8)
        let bytes = Array(buffer.readableBytesView)
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: end) }),
            let head = buffer.readSlice(length: start + end.count)
        else { return nil }
        var parser = RequestParser()
        parser.push(head)
        guard case .head(let parsed) = parser.next() else { return nil }
        return parsed
    }

    private func request(_ form: ProxyRequest.Form, _ head: RequestParser.Head, target: String) -> ProxyRequest {
        ProxyRequest(
            form: form, target: target, head: String(decoding: head.bytes, as: UTF8.self), fields: head.fields)
    }

    private func isKnown(_ head: RequestParser.Head) -> Bool {
        guard let credentials = context.credentials else { return true }
        return head.fields.contains { $0.name.lowercased() == "proxy-authorization" && $0.value == basic(credentials) }
    }

    private func record(_ request: ProxyRequest) -> ProxyRequest {
        var request = request
        request.connection = number
        return context.record.change { [request] record in
            var request = request
            request.index = record.requests.count
            record.requests.append(request)
            return request
        }
    }

    private func steps(_ moment: ProxyMoment) -> ArraySlice<ProxyStep>? { context.script(moment, number)?[...] }

    // MARK: Tunnels

    private func answer(_ request: ProxyRequest, isKnown: Bool) {
        let request = record(request)
        let restart: () -> Void = { if self.stage != .tunnel { self.stage = .opening } }
        if let steps = steps(.request(request)) { return perform(steps, target: request.target, restart) }
        guard isKnown else { return perform([.bytes(request.form.unauthorized)], restart) }
        isBusy = true
        connector(request.target) { isThere in
            let steps: [ProxyStep] =
                isThere ? [.bytes(request.form.success), .relay] : [.bytes(request.form.unreachable), .close]
            self.perform(steps[...], target: request.target, restart)
        }
    }

    // MARK: Forwarding

    private func forward(_ event: RequestParser.Event) {
        switch event {
        case .head(let head):
            let parts = head.target.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
            let authority = head.target.hasPrefix("http://") ? String(parts[2].prefix { $0 != "/" && $0 != "?" }) : ""
            let hasPort = authority.last != "]" && authority.split(separator: ":").count > 1
            let request = record(request(.forward, head, target: hasPort ? authority : authority + ":80"))
            answer = nil
            if let steps = steps(.request(request)) {
                answer = Array(steps)
            } else if !isKnown(head) {
                answer = [.bytes(request.form.unauthorized)]
            } else {
                isBusy = true
                connector(request.target) { isThere in
                    if isThere {
                        let target = head.target.dropFirst("http://\(authority)".count)
                        self.upstream?.channel.writeAndFlush(
                            ByteBuffer(string: Self.forwarded(request, to: target)), promise: nil)
                    } else {
                        self.answer = [.bytes(request.form.unreachable)]
                    }
                    self.isBusy = false
                    self.proceed()
                }
            }
        case .piece(let bytes, _):
            if answer == nil { upstream?.channel.writeAndFlush(bytes, promise: nil) }
        case .end:
            if let answer { perform(answer[...]) {} }
        case .brokenHead, .failed:
            end(by: .cutOff)
        }
    }

    /// The head as a proxy forwards it: with the target in origin form, without the fields for the proxy.
    private static func forwarded(_ request: ProxyRequest, to target: Substring) -> String {
        let method = request.head.prefix { $0 != " " }
        let fields = request.fields.filter { !$0.name.lowercased().hasPrefix("proxy-") }
        let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        return "\(method) \(target.hasPrefix("/") ? "" : "/")\(target) HTTP/1.1\r\n\(lines)\r\n"
    }

    // MARK: Steps

    /// - Parameter target: the target of `relay`.
    private func perform(_ steps: ArraySlice<ProxyStep>, target: String = "", _ done: @escaping () -> Void) {
        guard !hasEnded else { return }
        guard let step = steps.first else {
            isBusy = false
            done()
            return proceed()
        }
        isBusy = true
        let next = { self.perform(steps.dropFirst(), target: target, done) }
        switch step {
        case .bytes(let bytes): write(context.drips ? bytes.map { [$0] } : [bytes], next)
        case .drip(let bytes): write(bytes.map { [$0] }, next)
        case .endless(let bytes): writeForEver(bytes)
        case .wait(let gate):
            guard let loop = channel?.eventLoop else { return }
            let session = NIOLoopBound((self, next), eventLoop: loop)
            leaveGate = gate.whenOpen {
                loop.execute {
                    session.value.0.leaveGate = nil
                    session.value.1()
                }
            }
        case .relay:
            connector(target) { isThere in
                guard isThere else { return self.end(by: .cutOff) }
                self.stage = .tunnel
                self.passOn()
                next()
            }
        case .stall: break
        case .close: endInOrder()
        case .reset: end(by: .reset)
        }
    }

    /// Writes each piece separately, a turn of the event loop apart.
    private func write(_ pieces: [[UInt8]], _ done: @escaping () -> Void) {
        guard let channel, let piece = pieces.first else { return done() }
        let written: EventLoopFuture<Void> = channel.writeAndFlush(ByteBuffer(bytes: piece))
        // If a write fails, its connection has ended or is about to end.
        written.assumeIsolated().whenSuccess {
            channel.eventLoop.assumeIsolated().execute { self.write(Array(pieces.dropFirst()), done) }
        }
    }

    private func writeForEver(_ bytes: [UInt8]) {
        guard !hasEnded else { return }
        write([bytes]) { self.writeForEver(bytes) }
    }

    private func end(by end: ServerWire.End) { channel?.triggerUserOutboundEvent(end, promise: nil) }

    /// Closes after all earlier writes; with TLS, after a close_notify.
    private func endInOrder() {
        guard let channel else { return }
        let written: EventLoopFuture<Void> = channel.writeAndFlush(ByteBuffer())
        written.assumeIsolated().whenComplete { _ in
            guard self.hasTLS else { return self.end(by: .cutOff) }
            let done = channel.eventLoop.makePromise(of: Void.self)
            channel.close(mode: .output, promise: done)
            done.futureResult.assumeIsolated().whenComplete { _ in self.end(by: .cutOff) }
        }
    }

    // MARK: The target's side

    /// Connects to the server on the target's route, unless that connection exists. Reports whether it exists then.
    private func connector(_ target: String, _ done: @escaping (Bool) -> Void) {
        if let upstream, upstream.target == target { return done(true) }
        guard let channel, let port = context.routes[target] else { return done(false) }
        let session = NIOLoopBound(self, eventLoop: channel.eventLoop)
        ClientBootstrap(group: channel.eventLoop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { other in
                other.eventLoop.makeCompletedFuture {
                    try other.pipeline.syncOperations.addHandler(Upstream(session.value))
                }
            }
            .connect(host: "127.0.0.1", port: port)
            .assumeIsolated()
            .whenComplete { result in
                guard case .success(let other) = result else { return done(false) }
                guard !self.hasEnded else { return other.close(promise: nil) }
                let old = self.upstream
                self.upstream = (target, other)
                old?.channel.close(promise: nil)
                done(true)
            }
    }

    /// Relays the bytes that arrived before the tunnel was established.
    private func passOn() {
        guard let upstream, buffer.readableBytes > 0 else { return }
        upstream.channel.writeAndFlush(buffer, promise: nil)
        buffer = ByteBuffer()
    }

    /// The connection to a target.
    private final class Upstream: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let session: ProxySession

        init(_ session: ProxySession) { self.session = session }

        private func isCurrent(_ context: ChannelHandlerContext) -> Bool {
            session.upstream.map { $0.channel === context.channel } ?? false
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if isCurrent(context) { session.channel?.writeAndFlush(Self.unwrapInboundIn(data), promise: nil) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            guard isCurrent(context) else { return }
            session.upstream = nil
            session.endInOrder()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
