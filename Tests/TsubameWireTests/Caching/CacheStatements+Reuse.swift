// CacheStatements: RFC 9111 sections 4, 4.1 and 5.2, RFC 5861 and RFC 8246, on the use of stored responses.

import HTTPTypes
import TsubameCore
import TsubameWire

extension CacheStatement {
    private static let fresh = ["Cache-Control: max-age=60", "ETag: \"a\""]

    static let reuse: [CacheStatement] = [
        .init("4", "with nothing stored the origin is asked", is: "forward, uri-miss") { CacheScene.decided(nil) },
        .init("4", "a stored GET answers HEAD", is: "reuse") { CacheScene.decided(fresh, method: .head) },
        .init("4", "it answers no other method", is: "forward, method") { CacheScene.decided(fresh, method: .post) },
        .init("4", "what is stale is asked for with a condition", is: "validate, stale") {
            CacheScene.decided(fresh, after: 61)
        },
        .init("4", "at the end of its lifetime it is stale", is: "validate, stale") {
            CacheScene.decided(fresh, after: 60)
        },
        .init("4", "without one if there is nothing to ask by", is: "forward, stale") {
            CacheScene.decided(["Cache-Control: max-age=60"], after: 61)
        },

        // MARK: Vary

        .init("4.1", "what does not vary answers every request", is: "yes") {
            CacheScene.answers([], ["Accept: a"], ["Accept: b"])
        },
        .init("4.1", "a field that Vary names must be the same", is: "no") {
            CacheScene.answers(["Accept"], ["Accept: a"], ["Accept: b"])
        },
        .init("4.1", "if it is, the response answers", is: "yes") {
            CacheScene.answers(["accept"], ["Accept: a"], ["Accept: a", "X-Any: b"])
        },
        .init("4.1", "a field that neither has is the same", is: "yes") { CacheScene.answers(["X-A"], [], []) },
        .init("4.1", "one that only one of them has is not", is: "no") {
            CacheScene.answers(["X-A"], ["X-A: "], [])
        },
        .init("4.1", "all that are named must be the same", is: "no") {
            CacheScene.answers(["Accept, X-A"], ["Accept: a", "X-A: 1"], ["Accept: a", "X-A: 2"])
        },
        .init("4.1", "several Vary fields are one", is: "no") {
            CacheScene.answers(["Accept", "X-A"], ["Accept: a", "X-A: 1"], ["Accept: a", "X-A: 2"])
        },
        .init("4.1", "white space in a list and how it is cut into fields make no difference", is: "yes") {
            CacheScene.answers(["Accept"], ["Accept: a, b"], ["Accept: a", "Accept: b"])
        },
        .init("4.1", "Vary: * never answers", is: "never") { CacheScene.answers(["*"], [], []) },
        .init("4.1", "nor does an asterisk among names", is: "never") { CacheScene.answers(["Accept, *"], [], []) },
        .init("3.5", "what was for one user is for no other", is: "no") {
            CacheScene.answers([], ["Authorization: Basic YTpi"], ["Authorization: Basic Yzpk"])
        },
        .init("3.5", "nor for nobody", is: "no") { CacheScene.answers([], ["Authorization: Basic YTpi"], []) },
        .init("3.5", "nor is what was for nobody for a user", is: "no") {
            CacheScene.answers([], [], ["Authorization: Basic YTpi"])
        },
        .init("3.5", "the same user gets it", is: "yes") {
            CacheScene.answers([], ["Authorization: Basic YTpi"], ["Authorization: Basic YTpi"])
        },
        .init("3.5", "credentials in another field count as well", is: "no") {
            CacheScene.answers([], ["X-Api-Key: a"], ["X-Api-Key: b"])
        },
        .init("2", "a Host that was set by hand is no one else's", is: "no") {
            CacheScene.answers([], ["Host: other.example"], [])
        },
        .init("7.2", "other cookies are somebody else's", is: "no") {
            CacheScene.answers([], ["Cookie: a=b"], ["Cookie: a=c"])
        },
        .init("7.2", "the same cookies are the same user's", is: "yes") {
            CacheScene.answers([], ["Cookie: a=b"], ["Cookie: a=b"])
        },
        .init("4.1", "cookies count where Vary names them", is: "no") {
            CacheScene.answers(["Cookie"], ["Cookie: a=b"], ["Cookie: a=c"])
        },

        // MARK: Response directives

        .init("5.2.2.4", "no-cache is never used without asking", is: "validate, stale") {
            CacheScene.decided(["Cache-Control: max-age=60, no-cache", "ETag: \"a\""])
        },
        .init("5.2.2.4", "also if the request takes what is stale", is: "validate, stale") {
            CacheScene.decided(["Cache-Control: no-cache", "ETag: \"a\""], ["Cache-Control: max-stale"])
        },
        .init("5.2.2.4", "no-cache with fields leaves the rest of use", is: "reuse") {
            CacheScene.decided(["Cache-Control: max-age=60, no-cache=\"x-a\""])
        },
        .init("5.2.2.2", "must-revalidate changes nothing while the response is fresh", is: "reuse") {
            CacheScene.decided(["Cache-Control: max-age=60, must-revalidate"])
        },
        .init("5.2.2.2", "must-revalidate forbids to use what is stale", is: "validate, stale") {
            CacheScene.decided(
                ["Cache-Control: max-age=5, must-revalidate", "ETag: \"a\""], ["Cache-Control: max-stale"])
        },
        .init("5.2.2.2", "from the end of its lifetime on", is: "forward, stale") {
            CacheScene.decided(["Cache-Control: max-age=10, must-revalidate"], ["Cache-Control: max-stale"])
        },
        .init("5.2.2.8", "proxy-revalidate is for shared caches", is: "reuse by max-stale") {
            CacheScene.decided(["Cache-Control: max-age=5, proxy-revalidate"], ["Cache-Control: max-stale"])
        },
        .init("RFC 8246 2", "immutable is not asked for anew while it is fresh", is: "reuse") {
            CacheScene.decided(["Cache-Control: max-age=60, immutable"], ["Cache-Control: max-age=0"])
        },
        .init("RFC 8246 2", "once it is stale it is", is: "forward, stale") {
            CacheScene.decided(["Cache-Control: max-age=5, immutable"], ["Cache-Control: max-age=0"])
        },
        .init("RFC 8246 2", "from the end of its lifetime on", is: "forward, stale") {
            CacheScene.decided(
                ["Cache-Control: max-age=60, immutable"], after: 60, ["Cache-Control: max-age=0, max-stale=10"])
        },
        .init("RFC 8246 2", "and a moment later", is: "forward, stale") {
            CacheScene.decided(
                ["Cache-Control: max-age=60, immutable"], after: 60.5, ["Cache-Control: max-age=0, max-stale=10"])
        },
        .init("RFC 8246 2", "and whenever the caller insists", is: "forward, request") {
            CacheScene.decided(["Cache-Control: max-age=60, immutable"], ["Cache-Control: no-cache"])
        },
        .init("RFC 5861 3", "stale-while-revalidate allows it for so long", is: "reuse by stale-while-revalidate") {
            CacheScene.decided(["Cache-Control: max-age=5, stale-while-revalidate=5"])
        },
        .init("RFC 5861 3", "from the end of its lifetime on", is: "reuse by stale-while-revalidate") {
            CacheScene.decided(["Cache-Control: max-age=10, stale-while-revalidate=5"])
        },
        .init("RFC 5861 3", "and no longer", is: "forward, stale") {
            CacheScene.decided(["Cache-Control: max-age=5, stale-while-revalidate=4"])
        },
        .init("RFC 5861 3", "must-revalidate comes before it", is: "forward, stale") {
            CacheScene.decided(["Cache-Control: max-age=5, stale-while-revalidate=50, must-revalidate"])
        },
        .init("RFC 5861 4", "stale-if-error allows it for so long", is: "stale") {
            CacheScene.onError(["Cache-Control: max-age=5, stale-if-error=10"], after: 15)
        },
        .init("RFC 5861 4", "and not after that", is: "error") {
            CacheScene.onError(["Cache-Control: max-age=5, stale-if-error=10"], after: 16)
        },
        .init("RFC 5861 4", "a request may allow it too", is: "stale") {
            CacheScene.onError(["Cache-Control: max-age=5"], after: 15, ["Cache-Control: stale-if-error=10"])
        },
        .init("5.2.2.2", "must-revalidate comes before stale-if-error", is: "error") {
            CacheScene.onError(["Cache-Control: max-age=5, stale-if-error=10, must-revalidate"], after: 10)
        },
        .init("4.2.4", "what nobody allows is an error", is: "error") {
            CacheScene.onError(["Cache-Control: max-age=5"], after: 6)
        },

        // MARK: Request directives

        .init("5.2.1.1", "max-age wants nothing older", is: "validate, request") {
            CacheScene.decided(fresh, ["Cache-Control: max-age=9"])
        },
        .init("5.2.1.1", "what is younger will do", is: "reuse") {
            CacheScene.decided(fresh, ["Cache-Control: max-age=11"])
        },
        .init("5.2.1.2", "max-stale takes what is stale", is: "reuse by max-stale") {
            CacheScene.decided(fresh, after: 1_000, ["Cache-Control: max-stale"])
        },
        .init("5.2.1.2", "for so long", is: "reuse by max-stale") {
            CacheScene.decided(fresh, after: 70, ["Cache-Control: max-stale=10"])
        },
        .init("5.2.1.2", "and no longer", is: "validate, stale") {
            CacheScene.decided(fresh, after: 71, ["Cache-Control: max-stale=10"])
        },
        .init("5.2.1.3", "min-fresh wants what stays fresh for a time", is: "validate, request") {
            CacheScene.decided(fresh, ["Cache-Control: min-fresh=51"])
        },
        .init("5.2.1.3", "what does so will do", is: "reuse") {
            CacheScene.decided(fresh, ["Cache-Control: min-fresh=50"])
        },
        .init("5.2.1.4", "no-cache wants the origin to be asked", is: "validate, request") {
            CacheScene.decided(fresh, ["Cache-Control: no-cache"])
        },
        .init("5.4", "so does Pragma: no-cache", is: "validate, request") {
            CacheScene.decided(fresh, ["Pragma: no-cache"])
        },
        .init("5.4", "unless there is a Cache-Control", is: "reuse") {
            CacheScene.decided(fresh, ["Pragma: no-cache", "Cache-Control: max-age=60"])
        },
        .init("5.2.1.7", "only-if-cached takes what is stored", is: "reuse") {
            CacheScene.decided(fresh, ["Cache-Control: only-if-cached"])
        },
        .init("5.2.1.7", "and is answered by 504 otherwise", is: "504") {
            CacheScene.decided(nil, ["Cache-Control: only-if-cached"])
        },
        .init("5.2.1.7", "also where what is stored is stale", is: "504") {
            CacheScene.decided(fresh, after: 61, ["Cache-Control: only-if-cached"])
        },

        // MARK: Policies

        .init("5.2.1", "the policy to reload asks for everything anew", is: "forward, request") {
            CacheScene.decided(fresh, policy: .reload)
        },
        .init("5.2.1", "the policy to prefer what is stored takes it however old", is: "reuse by max-stale") {
            CacheScene.decided(fresh, after: 1e6, policy: .preferStored)
        },
        .init("5.2.1", "and asks the origin otherwise", is: "forward, uri-miss") {
            CacheScene.decided(nil, policy: .preferStored)
        },
        .init("5.2.1", "the policy of what is stored only takes it however old", is: "reuse by max-stale") {
            CacheScene.decided(fresh, after: 1e6, policy: .onlyStored)
        },
        .init("5.2.1", "and asks nobody", is: "504") { CacheScene.decided(nil, policy: .onlyStored) },
        .init("5.2.2.2", "no policy gets around must-revalidate", is: "504") {
            CacheScene.decided(["Cache-Control: max-age=5, must-revalidate"], policy: .onlyStored)
        },
    ]
}
