// InterceptorChain+Transport: the inner end of the chain for a transport other than the engine.

import TsubameCore

extension InterceptorChain {
    @inline(never)
    func sendByTransport(_ request: Request, _ call: Call) async throws(CallError) -> Response {
        if let transportFault { throw transportFault.with(request: request) }
        return try await TransportExchange(request, call: call, support: support).run(transport)
    }
}

extension ExchangeSupport {
    /// The error of every exchange if the transport cannot honour the settings; nil if it can.
    func fault(of transport: any Transport) -> CallError? {
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
