/** What GitHub does by GraphQL alone. A test holds each against the published schema. */
export const PULL_ID =
  'query($owner:String!,$repo:String!,$number:Int!){repository(owner:$owner,name:$repo){pullRequest(number:$number){id}}}';

export const ARM =
  'mutation($id:ID!,$head:GitObjectID,$how:PullRequestMergeMethod){enablePullRequestAutoMerge(input:{pullRequestId:$id,expectedHeadOid:$head,mergeMethod:$how}){pullRequest{number}}}';

export const DISARM = 'mutation($id:ID!){disablePullRequestAutoMerge(input:{pullRequestId:$id}){pullRequest{number}}}';

export const ENQUEUE =
  'mutation($id:ID!,$head:GitObjectID){enqueuePullRequest(input:{pullRequestId:$id,expectedHeadOid:$head}){mergeQueueEntry{state}}}';
