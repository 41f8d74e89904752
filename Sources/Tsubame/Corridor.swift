// Corridor: the one list of everything between `Client.send` and the transport, outermost first.

import TsubameCore
import TsubameEngine

/// The list of interceptors of a client, in order. `print(client.corridor)` shows it as it is resolved.
public final class Corridor: Sendable {
    enum End: Sendable {
        case around(any Around)
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
    let joint: JointRequests?
    private let names: [String]

    /// - Parameter plainClient: makes the same client without authentication.
    init(
        _ configuration: Configuration, decoding: ContentDecoding?, transport: any Transport,
        plainClient: @escaping @Sendable () -> Client
    ) {
        var list: [any Interceptor] = configuration.interceptors
        if configuration.retry.addsIdempotencyKeys { list.append(IdempotencyKeys()) }
        list.append(Redirects(policy: configuration.redirects, configuration: configuration))
        if let store = configuration.hsts.store { list.append(HSTSUpgrade(store, configuration)) }
        list.append(Credentials(configuration, plainClient: plainClient))
        let jar = configuration.cookies.jar
        if let jar { list.append(jar.isKept ? KeptCookiesOut(jar) : CookiesOut(jar: jar)) }
        if let decoding { list.append(decoding) }
        list.append(CacheDirectives())
        // Of this corridor alone: a response that other settings brought is not this one's.
        let joint = configuration.traffic.joinsEqualRequests ? JointRequests() : nil
        if let joint { list.append(joint) }
        self.joint = joint
        if !configuration.retry.isOff { list.append(Retries(policy: configuration.retry)) }
        if let gate = configuration.traffic.gate { list.append(TrafficLimits(gate)) }
        if let jar { list.append(jar.isKept ? KeptCookiesIn(jar) : CookiesIn(jar: jar)) }
        list += configuration.wireInterceptors

        var segments: [Segment] = []
        var steps: [any Step] = []
        for interceptor in list {
            switch interceptor {
            case let step as any Step:
                steps.append(step)
            case let around as any Around:
                segments.append(Segment(steps: steps, end: .around(around)))
                steps = []
            case let judge as any Judge:
                steps.append(JudgeStep(judge))
            case let hook as any Hook:
                steps.append(HookStep(hook))
            case let hook as any CallHook:
                steps.append(CallHookStep(hook))
            default:
                // Neither kind: it can do nothing, and the list says so.
                continue
            }
        }
        segments.append(Segment(steps: steps, end: .transport))
        self.segments = segments
        self.transport = transport
        engine = transport as? Engine
        clock = configuration.clock is ContinuousClock ? nil : DelayClock(configuration.clock)
        // Nor does it know what a transport of the user's waits for.
        hasForeignArounds = segments.count > 1 || !(transport is any PromptTransport)
        allowedOrigins = configuration.allowedOrigins
        names = list.map { interceptor in
            let kind =
                switch interceptor {
                case is any Around: "around"
                case let step as any Step: step.kind
                case is any Judge: "judge"
                case is any Hook, is any CallHook: "hook"
                default: "ignored: neither a Hook nor an Around"
                }
            return "\(interceptor.name) (\(kind))"
        }
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
        (names + ["\(transport.name) (transport)"]).enumerated().map { "\($0 + 1). \($1)" }.joined(separator: "\n")
    }
}

extension Corridor {
    /// A request that an around of the user's made in place of the one it was given: at another origin it goes without
    /// whatever belongs to the client, and a redirect of it never starts from the call's own request.
    func adopt(_ request: Request, insteadOf given: Request) -> Request {
        guard let uri = request.uri, uri != given.uri else { return request }
        var adopted = request
        if uri.origin != given.uri?.origin, !allowedOrigins.contains(uri.origin) { adopted.isForeign = true }
        adopted.entry = request
        return adopted
    }
}
