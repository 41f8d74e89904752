// InterceptorChain: the one list of everything between `Client.send` and the transport, outermost first.

import HTTPTypes
import TsubameCore

/// The list of interceptors of a client, in order. `print(client.chain)` shows it as it is resolved.
public final class InterceptorChain: Sendable {
    /// There are two kinds of members.
    enum Member: Sendable {
        case step(any ChainStep)
        case interceptor(any CallInterceptor)
    }

    /// The steps up to the next interceptor. The last segment has none, and ends at the transport.
    struct Segment: Sendable {
        var steps: [any ChainStep]
        var interceptor: (any CallInterceptor)?
    }

    private let members: [Member]
    let segments: [Segment]
    let transport: any Transport
    /// The transport, if it is the engine. An async call by its own type costs one frame less.
    let engine: Engine?
    /// For each exchange of another transport.
    let support: ExchangeSupport
    /// The error of every exchange, if the transport cannot honour the client's settings.
    let transportFault: CallError?
    /// The clock of delays; nil for real time.
    let clock: DelayClock?
    /// Whether a call must run in a task that can be cancelled at its deadline.
    let hasUserInterceptors: Bool
    /// The rules by which bodies are encoded that depend on the client.
    let valueRules: ClientValueRules
    let coalescing: RequestCoalescing?

    /// - Parameters:
    ///   - preset: the fields that most requests come with.
    ///   - plainClient: makes the same client without authentication.
    ///   - background: makes calls for which no caller waits.
    init(
        _ configuration: Configuration, decoding: ContentDecoding?, preset: HTTPFields, transport: any Transport,
        background: BackgroundCalls, plainClient: @escaping @Sendable () -> Client
    ) {
        let (retry, authentication, digests) = (
            configuration.retry, configuration.authentication, configuration.digests
        )
        let jar = configuration.cookies.jar
        // Each chain has its own: a response that was fetched under other settings must not be used here.
        coalescing = configuration.traffic.coalescesEqualRequests ? RequestCoalescing() : nil
        let replacements = ReplacementRules(configuration)
        let credentials = Credentials(authentication, digests, plainClient: plainClient)
        // The userinfo of URLs, which goes in Authorization.
        let userinfo = authentication.ownField.map { _ in Credentials(.none, digests, plainClient: plainClient) }

        let own: [Member?] = [
            retry.addsIdempotencyKeys ? .step(IdempotencyKeys()) : nil,
            .step(Redirects(policy: configuration.redirects, configuration: configuration)),
            configuration.hsts.store.map { .step(HSTSUpgrade($0, configuration)) },
            .step(credentials), userinfo.map { .step($0) },
            jar.map { .step($0.isKept ? PersistentCookiesOut($0) : CookiesOut(jar: $0)) },
            decoding.map { .step($0) },
            .step(CacheDirectives()),
            configuration.cache.cache.map {
                let preset = decoding?.offered ?? preset
                return .interceptor(Caching($0, configuration, preset: preset, background: background))
            },
            coalescing.map { .interceptor($0) },
            retry.isOff ? nil : .step(Retries(policy: retry, credentials: userinfo ?? credentials)),
            configuration.traffic.gate.map { .interceptor(TrafficLimits($0)) },
            jar.map { .step($0.isKept ? PersistentCookiesIn($0) : CookiesIn(jar: $0)) },
        ]
        members =
            configuration.interceptors.map { Member($0, replacements) } + own.compactMap { $0 }
            + configuration.wireInterceptors.map { Member($0, replacements) }

        segments = Self.segments(of: members)
        hasUserInterceptors = segments.contains { $0.interceptor is UserInterceptor }
        self.transport = transport
        support = ExchangeSupport(settings: configuration.connection)
        transportFault = support.fault(of: transport)
        engine = transportFault == nil ? transport as? Engine : nil
        clock = configuration.clock is ContinuousClock ? nil : DelayClock(configuration.clock)
        valueRules = configuration.valueRules
    }

    /// The same chain with more members just before the transport.
    private init(_ chain: InterceptorChain, adding interceptors: [any CallInterceptor]) {
        members = chain.members + interceptors.map { .interceptor($0) }
        segments = Self.segments(of: members)
        transport = chain.transport
        engine = chain.engine
        support = chain.support
        transportFault = chain.transportFault
        clock = chain.clock
        hasUserInterceptors = chain.hasUserInterceptors
        valueRules = chain.valueRules
        coalescing = chain.coalescing
    }

    func adding(_ interceptors: [any CallInterceptor]) -> InterceptorChain {
        InterceptorChain(self, adding: interceptors)
    }

    private static func segments(of members: [Member]) -> [Segment] {
        var segments: [Segment] = []
        var steps: [any ChainStep] = []
        for member in members {
            switch member {
            case .step(let step): steps.append(step)
            case .interceptor(let interceptor):
                segments.append(Segment(steps: steps, interceptor: interceptor))
                steps = []
            }
        }
        return segments + [Segment(steps: steps)]
    }
}

extension InterceptorChain.Member {
    /// A member of the user's lists. Only these are asked for their kind. The first question of a type goes through all
    /// conformances of the program, which took a third of the time of the first client.
    init(_ interceptor: any Interceptor, _ replacements: ReplacementRules) {
        switch interceptor {
        // The package's own tests put steps into the user's lists.
        case let step as any ChainStep: self = .step(step)
        case let hook as any MessageHook: self = .step(MessageHookStep(hook, replacements))
        default: self = .interceptor(UserInterceptor(interceptor, replacements))
        }
    }

    /// The name, and the kind in parentheses.
    var description: String {
        switch self {
        case .step(let step): "\(step.name) (\(step.kind))"
        case .interceptor(let interceptor): "\(interceptor.name) (interceptor)"
        }
    }
}

extension InterceptorChain: CustomStringConvertible, CustomReflectable {
    /// Only the list, as ``description`` has it.
    public var customMirror: Mirror { Mirror(self, children: ["chain": description], displayStyle: .struct) }

    /// One interceptor a line, outermost first, with its kind.
    public var description: String {
        (members.map(\.description) + ["\(transport.name) (transport)"]).enumerated().map { "\($0 + 1). \($1)" }
            .joined(separator: "\n")
    }
}
