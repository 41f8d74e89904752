// ServerTypes: the messages of the server, whose names the client's messages have too.

#if Inspector
import HummingbirdCore

typealias ServerRequest = HummingbirdCore.Request
typealias ServerResponse = HummingbirdCore.Response
typealias ServerBody = HummingbirdCore.ResponseBody
#endif
