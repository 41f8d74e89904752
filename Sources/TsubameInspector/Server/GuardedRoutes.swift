// GuardedRoutes: answers the requests that the guard allows, and refuses all others.

#if Inspector
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization

final class GuardedRoutes: Sendable {
    private let routes: Routes
    private let guarding = Mutex<RequestGuard?>(nil)

    init(_ routes: Routes) { self.routes = routes }

    /// Answers from now on.
    func open(_ requestGuard: RequestGuard) { guarding.withLock { $0 = requestGuard } }

    func answer(_ request: ServerRequest, on channel: any Channel) async throws -> ServerResponse {
        guard let requestGuard = guarding.withLock({ $0 }) else { return refused("the inspector is starting") }
        var response: ServerResponse
        switch requestGuard.judge(request.head) {
        case .refused(let why): return refused(why)
        case .allowed: response = try await routes.answer(request, on: channel)
        case .allowedWithToken:
            response = try await routes.answer(request, on: channel)
            let cookie = "\(requestGuard.cookieName)=\(requestGuard.token); Path=/; HttpOnly; SameSite=Strict"
            response.headers[.setCookie] = cookie
        }
        for field in RequestGuard.fields { response.headers[named: field.name] = field.value }
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func refused(_ why: String) -> ServerResponse {
        var response = Routes.text("\(why)\n", status: .forbidden)
        for field in RequestGuard.fields { response.headers[named: field.name] = field.value }
        return response
    }
}
#endif
