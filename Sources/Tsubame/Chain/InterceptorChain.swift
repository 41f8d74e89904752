// InterceptorChain: the one list of everything between `Client.send` and the transport, outermost first.

import HTTPTypes
import TsubameCore
import TsubameEngine

/// The list of interceptors of a client, in order. `print(client.chain)` shows it as it is resolved.
public final class InterceptorChain: Sendable {
    enum End: Sendable {
        case interceptor(any Interceptor)
        /// The library's own, which ends with its call by itself.
        case callInterceptor(any CallInterceptor)
        case transport
    }

    /// The steps up to the next interceptor, or to the transport.
    struct Segment: Sendable {
        var steps: [any Step]
        var end: End
    }

    let segments: [Segment]
    let transport: any Transport
    let engine: Engine?
    /// For each exchange of another transport.
    let support: ExchangeSupport
    /// The error of every exchange, if the transport cannot honour the client's settings.
    let transportFault: CallError?
    /// Counts delays; nil for real time.
    let clock: DelayClock?
    /// Whether a call must run in a task that can be cancelled at its deadline: the library does not know what a user's
    /// interceptor waits for.
    let hasUserInterceptors: Bool
    private let allowedOrigins: Set<Origin>
    /// The rules by which bodies are encoded that depend on the client.
    let valueRules: ClientValueRules
    private let crossOriginFields: CrossOriginFields
    let coalescing: RequestCoalescing?
    private let entries: [ChainEntry]

    /// - Parameters:
    ///   - preset: the fields that most requests come with.
    ///   - plainClient: makes the same client without authentication.
    ///   - background: makes calls that nobody waits for.
    init(
        _ configuration: Configuration, decoding: ContentDecoding?, preset: HTTPFields, transport: any Transport,
        background: BackgroundCalls, plainClient: @escaping @Sendable () -> Client
    ) {
        var list = configuration.interceptors.map { ChainEntry($0) }
        if configuration.retry.addsIdempotencyKeys { list.append(ChainEntry(hook: IdempotencyKeys())) }
        list.append(ChainEntry(policy: Redirects(policy: configuration.redirects, configuration: configuration)))
        if let store = configuration.hsts.store { list.append(ChainEntry(hook: HSTSUpgrade(store, configuration))) }
        let (authentication, digests) = (configuration.authentication, configuration.digests)
        list.append(ChainEntry(step: Credentials(authentication, digests, plainClient: plainClient)))
        if authentication.ownField != nil {
            // The userinfo of URLs, which goes in Authorization.
            list.append(ChainEntry(step: Credentials(.none, digests, plainClient: plainClient)))
        }
        let jar = configuration.cookies.jar
        if let jar {
            list.append(
                jar.isKept ? ChainEntry(step: PersistentCookiesOut(jar)) : ChainEntry(hook: CookiesOut(jar: jar)))
        }
        if let decoding { list.append(ChainEntry(hook: decoding)) }
        list.append(ChainEntry(hook: CacheDirectives()))
        if let cache = configuration.cache.cache {
            let caching = Caching(cache, configuration, preset: decoding?.offered ?? preset, background: background)
            list.append(ChainEntry(interceptor: caching))
        }
        // Of this chain alone: a response that other settings brought is not this one's.
        let coalescing = configuration.traffic.coalescesEqualRequests ? RequestCoalescing() : nil
        if let coalescing { list.append(ChainEntry(interceptor: coalescing)) }
        self.coalescing = coalescing
        if !configuration.retry.isOff { list.append(ChainEntry(policy: Retries(policy: configuration.retry))) }
        if let gate = configuration.traffic.gate { list.append(ChainEntry(interceptor: TrafficLimits(gate))) }
        if let jar {
            list.append(
                jar.isKept ? ChainEntry(step: PersistentCookiesIn(jar)) : ChainEntry(hook: CookiesIn(jar: jar)))
        }
        list += configuration.wireInterceptors.map { ChainEntry($0) }
        entries = list

        var segments: [Segment] = []
        var steps: [any Step] = []
        for entry in list {
            switch entry.part {
            case .step(let step): steps.append(step)
            case .interceptor(let interceptor):
                segments.append(Segment(steps: steps, end: .interceptor(interceptor)))
                steps = []
            case .callInterceptor(let interceptor):
                segments.append(Segment(steps: steps, end: .callInterceptor(interceptor)))
                steps = []
            }
        }
        segments.append(Segment(steps: steps, end: .transport))
        self.segments = segments
        self.transport = transport
        support = ExchangeSupport(settings: configuration.connection)
        transportFault = Self.fault(of: configuration.connection, for: transport)
        engine = transportFault == nil ? transport as? Engine : nil
        clock = configuration.clock is ContinuousClock ? nil : DelayClock(configuration.clock)
        hasUserInterceptors = segments.contains { if case .interceptor = $0.end { true } else { false } }
        allowedOrigins = configuration.allowedOrigins
        valueRules = configuration.valueRules
        crossOriginFields = CrossOriginFields(configuration)
    }
}

extension InterceptorChain {
    private static func fault(of settings: ConnectionSettings, for transport: any Transport) -> CallError? {
        // The engine checks its settings whenever it makes a connection.
        if !(transport is Engine), let fault = SettingsCheck.fault(of: settings) { return fault }
        let names = transport.unsupported(settings).map(\.rawValue).sorted()
        guard !names.isEmpty else { return nil }
        return CallError(
            .unsupported, "the transport \(transport.name) does not honour \(names.joined(separator: ", "))",
            advice:
                "leave \(names.count == 1 ? "this setting" : "these settings") at the default, or use another transport"
        )
    }
}

/// A clock behind one reference, so that the chain stays cheap to pass.
final class DelayClock: Sendable {
    let clock: any Clock<Duration>

    init(_ clock: any Clock<Duration>) { self.clock = clock }
}

extension InterceptorChain: CustomStringConvertible, CustomReflectable {
    /// Only the list, as ``description`` has it.
    public var customMirror: Mirror { Mirror(self, children: ["chain": description], displayStyle: .struct) }

    /// One interceptor a line, outermost first, with its kind.
    public var description: String {
        (entries.map(\.description) + ["\(transport.name) (transport)"]).enumerated().map { "\($0 + 1). \($1)" }.joined(
            separator: "\n")
    }
}

extension InterceptorChain {
    /// A request that a user's interceptor made in place of the one it was given: at another origin it goes without
    /// whatever belongs to the client, and a redirect of it never starts from the call's own request.
    func adopt(_ request: Request, insteadOf given: Request) -> Request {
        var adopted = request
        // One that was made anew knows nothing of the client's secrets.
        if adopted.redaction != given.redaction { adopted.redaction = given.redaction }
        guard let uri = request.uri, uri != given.uri else { return adopted }
        if uri.origin != given.uri?.origin, !allowedOrigins.contains(uri.origin) {
            adopted.isCrossOrigin = true
            // Fields that it copied. A field with another value is the interceptor's own.
            adopted.headers.removeAll { field in
                crossOriginFields.contains(field) && given.headers[values: field.name].contains(field.value)
            }
        }
        adopted.entry = adopted
        return adopted
    }
}
