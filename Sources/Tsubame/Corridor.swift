// Corridor: the one list of everything between `Client.send` and the transport, outermost first.

import HTTPTypes
import TsubameCore
import TsubameEngine

/// The list of interceptors of a client, in order. `print(client.corridor)` shows it as it is resolved.
public final class Corridor: Sendable {
    enum End: Sendable {
        case around(any Around)
        /// The library's own, which ends with its call by itself.
        case callAround(any CallAround)
        case transport
    }

    /// The stretch up to the next around, or to the transport.
    struct Segment: Sendable {
        var steps: [any Step]
        var end: End
    }

    let segments: [Segment]
    let transport: any Transport
    let engine: Engine?
    /// Counts delays; nil for real time.
    let clock: DelayClock?
    /// Whether a call must run in a task that can be cancelled at its deadline: an around of the user's waits for what
    /// the library does not know.
    let hasForeignArounds: Bool
    private let allowedOrigins: Set<Origin>
    /// How bodies of JSON are encoded.
    let json: JSONCoding
    private let clientFields: ClientFields
    let joint: JointRequests?
    private let entries: [CorridorEntry]

    /// - Parameters:
    ///   - preset: the fields that most requests come with.
    ///   - plainClient: makes the same client without authentication.
    ///   - background: makes calls that nobody waits for.
    init(
        _ configuration: Configuration, decoding: ContentDecoding?, preset: HTTPFields, transport: any Transport,
        background: BackgroundCalls, plainClient: @escaping @Sendable () -> Client
    ) {
        var list = configuration.interceptors.map(CorridorEntry.init)
        if configuration.retry.addsIdempotencyKeys { list.append(CorridorEntry(hook: IdempotencyKeys())) }
        list.append(CorridorEntry(judge: Redirects(policy: configuration.redirects, configuration: configuration)))
        if let store = configuration.hsts.store { list.append(CorridorEntry(hook: HSTSUpgrade(store, configuration))) }
        let (authentication, digests) = (configuration.authentication, configuration.digests)
        list.append(CorridorEntry(step: Credentials(authentication, digests, plainClient: plainClient)))
        if authentication.ownField != nil {
            // The userinfo of URLs, which goes in Authorization.
            list.append(CorridorEntry(step: Credentials(.none, digests, plainClient: plainClient)))
        }
        let jar = configuration.cookies.jar
        if let jar {
            list.append(
                jar.isKept ? CorridorEntry(step: KeptCookiesOut(jar)) : CorridorEntry(hook: CookiesOut(jar: jar)))
        }
        if let decoding { list.append(CorridorEntry(hook: decoding)) }
        list.append(CorridorEntry(hook: CacheDirectives()))
        if let cache = configuration.cache.cache {
            let caching = Caching(cache, configuration, preset: decoding?.offered ?? preset, background: background)
            list.append(CorridorEntry(around: caching))
        }
        // Of this corridor alone: a response that other settings brought is not this one's.
        let joint = configuration.traffic.joinsEqualRequests ? JointRequests() : nil
        if let joint { list.append(CorridorEntry(around: joint)) }
        self.joint = joint
        if !configuration.retry.isOff { list.append(CorridorEntry(judge: Retries(policy: configuration.retry))) }
        if let gate = configuration.traffic.gate { list.append(CorridorEntry(around: TrafficLimits(gate))) }
        if let jar {
            list.append(
                jar.isKept ? CorridorEntry(step: KeptCookiesIn(jar)) : CorridorEntry(hook: CookiesIn(jar: jar)))
        }
        list += configuration.wireInterceptors.map(CorridorEntry.init)
        entries = list

        var segments: [Segment] = []
        var steps: [any Step] = []
        for entry in list {
            switch entry.part {
            case .step(let step): steps.append(step)
            case .around(let around):
                segments.append(Segment(steps: steps, end: .around(around)))
                steps = []
            case .callAround(let around):
                segments.append(Segment(steps: steps, end: .callAround(around)))
                steps = []
            // The list says that it is of no use.
            case .none: continue
            }
        }
        segments.append(Segment(steps: steps, end: .transport))
        self.segments = segments
        self.transport = transport
        engine = transport as? Engine
        clock = configuration.clock is ContinuousClock ? nil : DelayClock(configuration.clock)
        // Nor does it know what a transport of the user's waits for.
        let hasArounds = segments.contains { if case .around = $0.end { true } else { false } }
        hasForeignArounds = hasArounds || (engine == nil && !(transport is any PromptTransport))
        allowedOrigins = configuration.allowedOrigins
        json = configuration.json
        clientFields = ClientFields(configuration)
    }
}

/// A clock behind one reference, so that the corridor stays cheap to pass.
final class DelayClock: Sendable {
    let clock: any Clock<Duration>

    init(_ clock: any Clock<Duration>) { self.clock = clock }
}

extension Corridor: CustomStringConvertible, CustomReflectable {
    /// Only the list, as ``description`` has it.
    public var customMirror: Mirror { Mirror(self, children: ["corridor": description], displayStyle: .struct) }

    /// One interceptor a line, outermost first, with its kind.
    public var description: String {
        (entries.map(\.name) + ["\(transport.name) (transport)"]).enumerated().map { "\($0 + 1). \($1)" }.joined(
            separator: "\n")
    }
}

extension Corridor {
    /// Fields that belong to the origin that they were made for.
    static let credentials: Set<HTTPField.Name> = [.authorization, .proxyAuthorization, .cookie, .host]

    /// A request that an around of the user's made in place of the one it was given: at another origin it goes without
    /// whatever belongs to the client, and a redirect of it never starts from the call's own request.
    func adopt(_ request: Request, insteadOf given: Request) -> Request {
        var adopted = request
        // One that was made anew knows nothing of the client's secrets.
        if adopted.redaction != given.redaction { adopted.redaction = given.redaction }
        guard let uri = request.uri, uri != given.uri else { return adopted }
        if uri.origin != given.uri?.origin, !allowedOrigins.contains(uri.origin) {
            adopted.isForeign = true
            // Fields that it copied. A field with another value is the around's affair.
            adopted.headers.removeAll { field in
                (Self.credentials.contains(field.name) || clientFields.contains(field))
                    && given.headers[values: field.name].contains(field.value)
            }
        }
        adopted.entry = adopted
        return adopted
    }
}
