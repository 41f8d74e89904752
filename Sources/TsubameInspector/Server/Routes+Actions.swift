// Routes+Actions: what the page does with calls.

#if Inspector
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTypes
import HummingbirdCore
import NIOCore
import Tsubame
import TsubameCore

extension Routes {
    /// The most bytes of the body of a request.
    private static let longestBody = 4 << 20

    /// The value of a request's JSON body; nil if there is no body.
    private static func value<Value: Decodable>(_ type: Value.Type, _ request: ServerRequest) async throws -> Value? {
        let body = try await request.body.collect(upTo: longestBody)
        guard body.readableBytes > 0 else { return nil }
        return try JSONDecoder().decode(type, from: Data(body.readableBytesView))
    }

    /// Sends the request of a call again, as it was or edited.
    func resend(_ call: LoggedCall, _ request: ServerRequest) async throws -> ServerResponse {
        let edited: EditableRequest?
        do {
            edited = try await Self.value(EditableRequest.self, request)
        } catch {
            return try Self.problem("the body is no request")
        }
        do throws(EditableRequest.Problem) {
            try await Resending.send(edited, of: call, in: log)
        } catch {
            return try Self.problem(error.description)
        }
        return ServerResponse(status: .accepted)
    }

    /// Reads the certificates of the server at the other end of a connection.
    func certificates(_ call: LoggedCall, _ query: Query) async throws -> ServerResponse {
        guard let client = log.client(of: call) else {
            return try Self.problem("the client of this call is gone, or it is none of this process")
        }
        guard let id = query["connection"].flatMap({ UInt64($0) }), let uri = call.uri(ofConnection: id) else {
            return try Self.problem("this call has no such connection")
        }
        let chain: [ServerCertificate]
        do throws(CallError) {
            chain = try await client.certificates(of: uri.origin.description)
        } catch {
            return try Self.problem(error.reason)
        }
        return try Self.json(chain.compactMap { CallDetail.Certificate($0) })
    }

    func setRules(_ request: ServerRequest) async throws -> ServerResponse {
        let list: [Rule]
        do {
            list = try await Self.value([Rule].self, request) ?? []
        } catch {
            return try Self.problem("the body is no list of rules")
        }
        guard list.isEmpty || log.hasClients else {
            return try Self.problem(
                "rules are for the calls of clients, and this page shows those of a server or an archive")
        }
        do throws(Rule.Problem) {
            try rules.set(list)
        } catch {
            return try Self.problem(error.description)
        }
        return ServerResponse(status: .noContent)
    }

    /// The most bytes of an archive.
    private static let longestArchive = 64 << 20

    func importArchive(_ request: ServerRequest) async throws -> ServerResponse {
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: Self.longestArchive)
        } catch {
            return try Self.problem("an archive has at most \(Self.longestArchive >> 20) MiB")
        }
        do throws(CallError) {
            try log.add(har: Data(body.readableBytesView))
        } catch {
            return try Self.problem(error.reason)
        }
        return ServerResponse(status: .noContent)
    }

    func pin(_ id: UInt64, _ isPinned: Bool) throws -> ServerResponse {
        if log.pin(id, isPinned) { return ServerResponse(status: .noContent) }
        return try Self.problem(
            "too much is pinned: at most \(TrafficRing.mostPinned) calls, in half of the log's memory")
    }
}
#endif
